// The steps of `orderctl list`: account → filter → refreshed or not → the journal's orders, or its reveals.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { findActors } from '../../journal/actors.ts'
import type { Entry } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Filter, Summary } from '../../journal/list-orders.ts'
import { isStale } from '../../journal/observations.ts'
import { findRevealer, nameActor } from '../../text/actor-name.ts'
import {
  type EntryNames,
  entryData,
  findEntryNames,
  hasForeignWriter,
  isoTime,
} from '../shared/journal/entry-data.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { findListedAccount, refuseUnknownProfile } from '../shared/listed-account.ts'
import { outputOf, sessionOf } from '../shared/options.ts'
import { type Output, outputFor } from '../shared/output/output.ts'
import { createFilter, isSelection, printKnownNames } from './filter.ts'
import type { ListOptions } from './spec.ts'

/** Returns the exit code. */
export const list = async (context: Context, options: ListOptions): Promise<number> => {
  const session = sessionOf(options)
  const output = outputFor(context, outputOf(options))
  const journals = journalsOf(context, await findListedAccount(context, options.profile), session)
  try {
    const journal = await journals.openToRead()
    const filter = await createFilter(journal, options)
    if (options.reveals) return await printReveals(context, journal, filter, output)
    const read = async (limit: number): Promise<Entry[]> =>
      (await journal?.listOrders({ ...filter, limit })) ?? []
    let exit: number = exitCodes.ok.code
    if (options.refresh && journal !== undefined) {
      const { refresh } = await import('./refresh.ts')
      const entries = await read(filter.limit)
      exit = await refresh(context, { journal, clock: journals.clock, entries, options: session })
    }
    const found = await read(filter.limit + 1)
    if (found.length === 0) await refuseUnknownProfile(context, journal, filter.profile)
    await printFound(context, found, { journal, filter, options, output })
    return exit
  } finally {
    await journals.close()
  }
}

type Printing = {
  readonly journal: Journal | undefined
  readonly filter: Filter
  readonly options: ListOptions
  readonly output: Output
}

/** `found`: one order more than the limit shows that there are more. */
const printFound = async (
  context: Context,
  found: readonly Entry[],
  { journal, filter, options, output }: Printing,
): Promise<void> => {
  const entries = found.slice(0, filter.limit)
  const hasMore = found.length > entries.length
  const oldest = entries.at(-1)?.placedAt
  // A damaged time is not a number.
  const from = hasMore && Number.isFinite(oldest) ? oldest : undefined
  const summary =
    (context.stderr.isQuiet ? undefined : await journal?.summarizeList(filter, from)) ?? noSummary
  const findNames = async (): Promise<EntryNames> =>
    journal === undefined ? noNames : findEntryNames(journal, entries)
  const now = context.clock.now()
  const stale = entries.filter((entry) => isStale(entry, now))
  await output.print({
    data: async () => {
      const names = await findNames()
      return entries.map((entry) => entryData(entry, names, now))
    },
    ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
    screen: async () => {
      if (entries.length === 0) return ''
      const { findActor } = await findNames()
      // --by and --mine select one person, but another role may have written an order for them.
      const showsPeople =
        (summary.hasSeveralPeople && filter.actors === undefined) || hasForeignWriter(entries, findActor)
      const { ordersScreen } = await import('./screen.ts')
      return ordersScreen(context, entries, showsPeople ? findActor : undefined)
    },
  })
  const listed = {
    printed: entries.length,
    hasMore,
    attempts: summary.attempts,
    stale: options.json || options.quiet || options.refresh ? 0 : stale.length,
    isSelection: isSelection(options),
  }
  if (entries.length === 0 || hasMore || listed.attempts + listed.stale > 0) {
    const { printNotes } = await import('./notes.ts')
    printNotes(context, listed)
  }
  if (entries.length === 0) await printKnownNames(context, journal, options)
}

const noNames: EntryNames = { batches: new Map(), findActor: () => undefined }
const noSummary: Summary = { attempts: 0, hasSeveralPeople: false }

/** Returns the exit code. */
const printReveals = async (
  context: Context,
  journal: Journal | undefined,
  filter: Filter,
  { print }: Output,
): Promise<number> => {
  const reveals = (await journal?.listReveals(filter)) ?? []
  if (reveals.length === 0) await refuseUnknownProfile(context, journal, filter.profile)
  const findActor = journal && (await findActors(journal, reveals))
  await print({
    data: () =>
      reveals.map(({ at, damage: _, actor, writtenBy, ...reveal }) => ({
        ...reveal,
        at: isoTime(at),
        by: findActor?.({ actor, writtenBy }) ?? null,
      })),
    ids: reveals.map(({ orderId }) => orderId),
    // In a shared journal, the role says more than a login name such as root.
    screen: async () =>
      (await import('./screen.ts')).revealsScreen(
        context,
        reveals.map((reveal) => ({
          ...reveal,
          who: nameActor(findRevealer({ ...reveal, by: findActor?.(reveal) })),
        })),
      ),
  })
  return exitCodes.ok.code
}
