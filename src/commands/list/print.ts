// Prints the orders or reveals that list has found, and notes about those that it did not print.

import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { findActors } from '../../journal/actors.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Entry } from '../../journal/orders/entry.ts'
import { type Filter, maxAttempts, type Summary, summarizeList } from '../../journal/orders/list-orders.ts'
import { findSeenTime, isStale } from '../../journal/orders/observations.ts'
import { listReveals } from '../../journal/orders/reveals.ts'
import { findUndocumented } from '../../journal/orders/standings.ts'
import { findRevealer, nameActor } from '../../text/actor-name.ts'
import { renderCsvTable } from '../../ui/cards/csv.ts'
import { formatProducts, renderOrders, renderReveals } from '../../ui/screens/orders.ts'
import { describeHidden, refuseUnknownProfile } from '../shared/account.ts'
import {
  type EntryNames,
  entryData,
  findEntryNames,
  hasForeignWriter,
  isoTime,
} from '../shared/journal/entry-data.ts'
import { writeNote } from '../shared/notes.ts'
import type { Output } from '../shared/output/output.ts'
import { viewOfTable } from '../shared/output/view-of.ts'
import { findHiddenProfile, isSelection, printKnownNames } from './filter.ts'
import type { ListOptions } from './spec.ts'

type Printing = {
  readonly journal: Journal | undefined
  readonly filter: Filter
  readonly options: ListOptions
  readonly output: Output
}

/** `found`: one order more than the limit shows that there are more. */
export const printFound = async (
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
    context.stderr.isQuiet || journal === undefined
      ? noSummary
      : await summarizeList(journal.read, filter, from)
  const findNames = async (): Promise<EntryNames> =>
    journal === undefined ? noNames : findEntryNames(journal, entries)
  const now = context.clock.now()
  const stale = entries.filter((entry) => isStale(entry, now))
  if (options.csv) context.stdout.write(renderCsv(entries, (await findNames()).findActor, context.stdout))
  else
    await output.print({
      data: async () => {
        const names = await findNames()
        return entries.map((entry) => entryData(entry, names, now))
      },
      ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
      isPaged: true,
      screen: async () => {
        if (entries.length === 0) return ''
        const { findActor } = await findNames()
        // --by and --mine select one person, but another role may have written an order for them.
        const showsPeople =
          (summary.hasSeveralPeople && filter.actors === undefined) || hasForeignWriter(entries, findActor)
        const view = viewOfTable(context)
        const shown = entries.map((entry) => {
          const actor = showsPeople ? findActor(entry) : undefined
          const staleSince = isStale(entry, view.now) ? findSeenTime(entry) : undefined
          const undocumentedWord = findUndocumented(entry)
          return { ...entry, by: actor && nameActor(actor), staleSince, undocumentedWord }
        })
        return renderOrders(shown, view)
      },
    })
  if (entries.length === 0) writeNote(context, 'No matching orders\n')
  if (hasMore) {
    const shown = entries.length === 1 ? 'order only' : `${entries.length} orders`
    writeNote(context, `Showing the newest ${shown}. Use --limit to see more.\n`)
  }
  const advise = (what: string, flag: 'all' | 'refresh'): string =>
    isSelection(options)
      ? `${what} with --${flag}.\n`
      : `${what}: ${context.suggest`list ${{ [flag]: true }}`}\n`
  const { attempts } = summary
  if (attempts > 0)
    writeNote(
      context,
      `${countAttempts(attempts)} hidden. ${advise(attempts === 1 ? 'Show it' : 'Show them', 'all')}`,
    )
  if (!options.json && !options.quiet) {
    if (stale.length > 0 && !options.refresh) {
      const count =
        stale.length === 1 ? 'The state of 1 order is' : `The states of ${stale.length} orders are`
      writeNote(context, `${count} more than 1 h old. ${advise('Update', 'refresh')}`)
    }
    const hidden = await findHiddenProfile(journal, filter)
    if (hidden !== undefined) writeNote(context, describeHidden(context, 'orders', hidden))
  }
  if (entries.length === 0) await printKnownNames(context, journal, options)
}

/** For an accountant: what each order cost, when, and who placed it. Times are in UTC. */
const renderCsv = (
  entries: readonly Entry[],
  findActor: EntryNames['findActor'],
  stdout: Context['stdout'],
): string => {
  const columns = [
    ...['order', 'reference', 'placed', 'confirmed', 'state', 'products'],
    ...['amount', 'currency', 'person', 'profile'],
  ]
  const formatMoment = (ms: number | undefined) => (ms === undefined ? undefined : (isoTime(ms) ?? undefined))
  const rows = entries.map((entry) => {
    const actor = findActor(entry)
    return [
      entry.orderId,
      entry.reference,
      formatMoment(entry.placedAt),
      formatMoment(entry.confirmedAt),
      entry.state,
      formatProducts(entry),
      entry.total,
      entry.wallet,
      actor && nameActor(actor),
      entry.profile,
    ]
  })
  return renderCsvTable([columns, ...rows], stdout)
}

const noNames: EntryNames = { batches: new Map(), findActor: () => undefined }
const noSummary: Summary = { attempts: 0, hasSeveralPeople: false }

/** Returns the exit code. */
export const printReveals = async (
  context: Context,
  journal: Journal | undefined,
  filter: Filter,
  { print }: Output,
): Promise<number> => {
  const reveals = journal === undefined ? [] : await listReveals(journal.read, filter)
  if (reveals.length === 0) await refuseUnknownProfile(context, journal, filter.profile)
  const findActor = journal && (await findActors(journal.read, reveals))
  await print({
    data: () =>
      reveals.map(({ at, damage: _, actor, writtenBy, ...reveal }) => ({
        ...reveal,
        at: isoTime(at),
        by: findActor?.({ actor, writtenBy }) ?? null,
      })),
    ids: reveals.map(({ orderId }) => orderId),
    isPaged: true,
    // In a shared journal, the role says more than a login name such as root.
    screen: () => {
      const shown = reveals.map((reveal) => ({
        ...reveal,
        who: nameActor(findRevealer({ ...reveal, by: findActor?.(reveal) })),
      }))
      return renderReveals(shown, viewOfTable(context))
    },
  })
  return exitCodes.ok.code
}

const countAttempts = (attempts: number): string => {
  if (attempts === 1) return '1 attempt that never became an order is'
  const count = attempts < maxAttempts ? String(attempts) : `At least ${attempts.toLocaleString('en-US')}`
  return `${count} attempts that never became an order are`
}
