// orderctl list: what was ordered from here, newest first; and whose codes were shown.
import type { Context } from '../../context.ts'
import { states } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import { type Entry, ownStandings } from '../../journal/entry.ts'
import type { Filter } from '../../journal/reading.ts'
import { entryData, isoTime } from '../shared/entry-data.ts'
import { flagReader } from '../shared/flag-reader.ts'
import { journalsOf } from '../shared/open-journal.ts'
import { type ShowFlags, shower } from '../shared/output.ts'
import type { SessionFlags } from '../shared/session.ts'

export type ListFlags = SessionFlags &
  ShowFlags & {
    readonly state?: string
    readonly since?: string
    readonly reference?: string
    readonly unfinished?: boolean
    readonly limit?: string
    readonly refresh?: boolean
    readonly reveals?: boolean
  }

const usualLimit = 30
const stateNames = [...Object.keys(states), ...Object.values(ownStandings)]

export const list = async (context: Context, flags: ListFlags): Promise<number> => {
  const filter = filterOf(context, flags)
  const { show } = shower(context, flags)
  const journals = journalsOf(context)
  try {
    const journal = await journals.openIfThere()
    if (flags.reveals === true) {
      const reveals = journal?.reveals(filter) ?? []
      await show({
        data: () => reveals.map(({ at, damage: _, ...reveal }) => ({ ...reveal, at: isoTime(at) })),
        ids: reveals.map(({ orderId }) => orderId),
        screen: async () => (await import('./screen.ts')).revealsScreen(context, reveals),
      })
      return 0
    }
    const look = (limit: number): Entry[] => journal?.list({ ...filter, limit }) ?? []
    refuseTypo(filter, () => look(1).length > 0)
    const exit =
      flags.refresh === true && journal !== undefined
        ? await refreshed(context, { journal, entries: look(filter.limit), flags })
        : 0
    const found = look(filter.limit + 1)
    const entries = found.slice(0, filter.limit)
    if (found.length > entries.length) {
      context.stderr.write(`the newest ${filter.limit}; --limit lists more\n`)
    }
    if (entries.length === 0) context.stderr.write('nothing was ordered from here that fits\n')
    await show({
      data: () => entries.map(entryData),
      ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
      screen: async () =>
        entries.length === 0 ? '' : (await import('./screen.ts')).ordersScreen(context, entries),
    })
    return exit
  } finally {
    await journals.close()
  }
}

const filterOf = ({ clock }: Context, flags: ListFlags): Filter => {
  const { count, duration, problem, check } = flagReader('list')
  const since = duration('--since', flags.since)
  const limit = count('--limit', flags.limit)
  if (flags.reveals === true) {
    for (const [flag, value] of [
      ['--state', flags.state],
      ['--reference', flags.reference],
      ['--unfinished', flags.unfinished],
      ['--refresh', flags.refresh],
    ] as const) {
      if (value !== undefined) problem(`${flag} does not go with --reveals`)
    }
  }
  check()
  return {
    profile: flags.profile,
    standing: flags.state,
    reference: flags.reference,
    since: since === undefined ? undefined : clock.now() - since,
    unfinished: flags.unfinished,
    limit: limit ?? usualLimit,
  }
}

/** An order may stand as nobody documented; what none stands as is a slip. */
const refuseTypo = ({ standing }: Filter, isAny: () => boolean): void => {
  if (standing === undefined || stateNames.includes(standing) || isAny()) return
  throw new Failure('usage', `--state is ${JSON.stringify(standing)}; allowed: ${stateNames.join(', ')}`, {
    field: '--state',
    fix: 'orderctl list --help',
  })
}

const refreshed = async (...given: Parameters<typeof import('./refresh.ts').refresh>): Promise<number> => {
  const { refresh } = await import('./refresh.ts')
  return refresh(...given)
}
