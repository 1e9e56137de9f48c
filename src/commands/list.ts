// orderctl list: what was ordered from here, newest first; and whose codes were shown.
import type { Context } from '../context.ts'
import { states } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { type Entry, isOver, ownStandings } from '../journal/entry.ts'
import type { Filter } from '../journal/reading.ts'
import { reconcileAll } from '../operations/reconcile.ts'
import { environmentName } from '../profiles/profile.ts'
import { ordersText, revealsText } from '../ui/orders.ts'
import { safeText } from '../ui/safe-text.ts'
import { entryData, isoTime } from './entry-data.ts'
import { flagReader } from './flags.ts'
import { journalsOf } from './open-journal.ts'
import { openSession, type SessionFlags, spending, viewOf } from './session.ts'
import { type ShowFlags, shower } from './show.ts'

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
    const journal = await journals.open()
    const view = viewOf(context)
    if (flags.reveals === true) {
      const reveals = journal.reveals(filter)
      show({
        data: reveals.map(({ at, ...reveal }) => ({ ...reveal, at: isoTime(at) })),
        ids: reveals.map(({ orderId }) => orderId),
        screen: () => revealsText(reveals, view),
      })
      return 0
    }
    if (flags.refresh === true) await refresh(context, flags, journal.list(filter))
    const found = journal.list({ ...filter, limit: filter.limit + 1 })
    const entries = found.slice(0, filter.limit)
    if (found.length > entries.length) {
      context.stderr.write(`the newest ${filter.limit}; --limit lists more\n`)
    }
    if (entries.length === 0) context.stderr.write('nothing was ordered from here that fits\n')
    show({
      data: entries.map(entryData),
      ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
      screen: () =>
        entries.length === 0
          ? ''
          : ordersText(
              entries.map(({ standing, ...entry }) => ({ ...entry, state: standing })),
              view,
            ),
    })
    return 0
  } finally {
    await journals.close()
  }
}

const filterOf = ({ clock }: Context, flags: ListFlags): Filter => {
  const { read, duration, problem, check } = flagReader('list')
  const since = duration('--since', flags.since)
  const standing = read(
    '--state',
    flags.state,
    (text) => stateNames.find((each) => each === text),
    stateNames.join(', '),
  )
  const limit = read(
    '--limit',
    flags.limit,
    (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
    'a whole number from 1',
  )
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
    standing,
    reference: flags.reference,
    since: since === undefined ? undefined : clock.now() - since,
    unfinished: flags.unfinished,
    limit: limit ?? usualLimit,
  }
}

/** Account by account; one that cannot be asked is said, and listed as it is known. */
const refresh = async (context: Context, flags: ListFlags, entries: readonly Entry[]): Promise<void> => {
  const open = entries.filter(({ standing }) => !isOver(standing))
  for (const [profile, theirs] of Map.groupBy(open, (entry) => entry.profile)) {
    try {
      await refreshAccount(context, flags, profile, theirs)
    } catch (error) {
      if (!(error instanceof Failure) || context.interrupted.aborted) throw error
      warn(context, profile, error.message)
    }
  }
}

const warn = ({ stderr }: Context, profile: string, why: string): void =>
  stderr.write(`warning: the orders of ${safeText(profile)} were not refreshed: ${safeText(why)}\n`)

const refreshAccount = async (
  context: Context,
  { timeout, allowHttp, debug }: ListFlags,
  profile: string,
  entries: readonly Entry[],
): Promise<void> => {
  const call = Object.fromEntries(
    Object.entries({ timeout, allowHttp, debug }).filter(([, value]) => value !== undefined),
  )
  const session = await openSession(context, { ...call, ...(profile === environmentName ? {} : { profile }) })
  try {
    const { owner } = session
    const theirs = entries.filter(({ origin }) => owner.profile === profile && owner.origin === origin)
    await reconcileAll(await spending(session), theirs, ({ problem, entry }) => {
      if (problem !== undefined) warn(context, entry.profile, problem.message)
    })
    const others = entries.length - theirs.length
    if (others > 0) warn(context, profile, `${others} of them are of another address`)
  } finally {
    await session.close()
  }
}
