// The steps of `orderctl list`: options → refreshed or not → the journal's orders, or its reveals.
import type { Context } from '../../context.ts'
import { stateNames } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type Entry, journalOnlyStates } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Filter } from '../../journal/list-orders.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { type EntryNames, entryData, findEntryNames } from '../shared/journal/entry-data.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { findListedAccount } from '../shared/listed-account.ts'
import { writeNote } from '../shared/notes.ts'
import { readOutputOptions, readSessionOptions } from '../shared/options.ts'
import { outputFor } from '../shared/output/output.ts'
import { readMoment } from '../shared/read-moment.ts'
import { findActors, printKnownNames } from './actors.ts'
import type { ListFlags } from './flags.ts'
import { printReveals } from './reveals.ts'

/** Returns the exit code. */
export const list = async (context: Context, flags: ListFlags): Promise<number> => {
  const options = readListOptions(context, flags)
  const { filter, isRefreshed, listsReveals } = options
  const output = outputFor(context, options.output)
  const journals = journalsOf(context, await findListedAccount(context, flags.profile), flags)
  try {
    const journal = await journals.openIfThere()
    const actors = await findActors(journal, options.actors)
    if (listsReveals) {
      return await printReveals(context, journal, { ...filter, actors }, output)
    }
    const { batch } = options
    const batches = batch === undefined ? undefined : await findBatches(journal, batch, filter)
    const read = async (limit: number): Promise<Entry[]> =>
      (await journal?.listOrders({ ...filter, batches, actors, limit })) ?? []
    await refuseUnknownState(filter, async () => (await read(1)).length > 0)
    let exit: number = exitCodes.ok.code
    if (isRefreshed && journal !== undefined) {
      const { refresh } = await import('./refresh.ts')
      const entries = await read(filter.limit)
      exit = await refresh(context, { journal, entries, options: options.session })
    }
    const found = await read(filter.limit + 1)
    const entries = found.slice(0, filter.limit)
    if (found.length > entries.length) {
      const shown = filter.limit === 1 ? 'order only' : `${filter.limit} orders`
      writeNote(context, `Showing the newest ${shown}. Use --limit to see more.\n`)
    }
    if (entries.length === 0) {
      writeNote(context, 'No matching orders\n')
      await printKnownNames(context, journal, options.actors)
    }
    const findNames = (): Promise<EntryNames> | EntryNames =>
      journal === undefined ? noNames : findEntryNames(journal, entries)
    await output.print({
      data: async () => {
        const names = await findNames()
        return entries.map((entry) => entryData(entry, names))
      },
      ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
      screen: async () =>
        entries.length === 0
          ? ''
          : (await import('./screen.ts')).ordersScreen(context, entries, (await findNames()).actors),
    })
    return exit
  } finally {
    await journals.close()
  }
}

const noNames: EntryNames = { batches: new Map(), actors: new Map() }

const defaultLimit = 30

const readListOptions = (context: Context, flags: ListFlags) => {
  const reader = createFlagReader('list')
  const { readCount, addProblem, check } = reader
  const since = readMoment(reader, '--since', flags.since, context)
  const limit = readCount('--limit', flags.limit)
  if (flags.reveals === true) {
    for (const [flag, value] of [
      ['--state', flags.state],
      ['--reference', flags.reference],
      ['--batch', flags.batch],
      ['--unfinished', flags.unfinished],
      ['--refresh', flags.refresh],
    ] as const) {
      if (value !== undefined) addProblem(`${flag} cannot be used with --reveals`)
    }
  }
  const session = readSessionOptions(reader, flags)
  const output = readOutputOptions(reader, flags)
  check()
  const filter: Filter = {
    profile: flags.profile,
    state: flags.state,
    reference: flags.reference,
    since: since?.from,
    unfinished: flags.unfinished,
    limit: limit ?? defaultLimit,
  }
  return {
    session,
    output,
    filter,
    batch: flags.batch,
    actors: { by: flags.by, isMine: flags.mine === true },
    isRefreshed: flags.refresh === true,
    listsReveals: flags.reveals === true,
  }
}

const findBatches = async (
  journal: Journal | undefined,
  batch: string,
  { profile }: Pick<Filter, 'profile'>,
): Promise<readonly number[]> => {
  const found = (await journal?.findBatchNumbers(batch, profile)) ?? []
  if (found.length > 0) return found
  const where = profile === undefined ? '' : ` for the profile ${profile}`
  throw new Failure('usage', `no batch '${batch}' in this journal${where}`, {
    field: '--batch',
    fix: 'orderctl batch list',
  })
}

const allStates: readonly string[] = [...stateNames, ...Object.values(journalOnlyStates)]

/** An order may have an undocumented state. A state that no order has is a typo. */
const refuseUnknownState = async ({ state }: Filter, isUsed: () => Promise<boolean>): Promise<void> => {
  if (state === undefined || allStates.includes(state) || (await isUsed())) return
  throw new Failure('usage', `--state is ${JSON.stringify(state)}; allowed: ${allStates.join(', ')}`, {
    field: '--state',
    fix: 'orderctl list --help',
  })
}
