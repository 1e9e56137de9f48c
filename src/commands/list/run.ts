// The steps of `orderctl list`: account → filter → the journal's orders → printed, with notes about those that are not.

import { findListedAccount } from '../../app/account.ts'
import { journalsOf } from '../../app/journals.ts'
import {
  chooseSandbox,
  findListedBatches,
  noteHidden,
  printKnownNames,
  refuseUnknownProfile,
  selectActors,
} from '../../app/listed-orders.ts'
import { type Output, outputFor, warnOfRefuted } from '../../app/output/output.ts'
import { describeOrders } from '../../app/output/show-order.ts'
import { writeNote } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import { type Filter, listOrders, type Summary, summarizeList } from '../../journal/orders/list-orders.ts'
import { isRefuted, isStale } from '../../journal/orders/standings.ts'
import { environmentName } from '../../profiles/store.ts'
import { isWrittenByOther } from '../../text/words.ts'
import { listedFields } from '../../ui/screens/orders.ts'
import { viewOfTable } from '../../ui/terminal/view.ts'
import { listNames, readFields, renderResults, renderResultsCsv } from '../../ui/text/result-fields.ts'
import type { OrderListOptions } from './spec.ts'

export const list = async (context: Context, options: OrderListOptions): Promise<void> => {
  const output = outputFor(context, options)
  await using journals = journalsOf(context, await findListedAccount(context, options.profile), options)
  const journal = await journals.openExisting()
  const filter = await createFilter(context, journal, options)
  const found = await listOrders(journal.read, { ...filter, limit: filter.limit + 1 })
  if (found.length === 0) await refuseUnknownProfile(context, journal, filter.profile)
  await printFound(context, found, { journal, filter, options, output })
}

const createFilter = async (
  context: Context,
  journal: Journal,
  options: OrderListOptions,
): Promise<Filter> => {
  const { profile, state, since, until, unfinished, all, limit } = options
  const batches = await findListedBatches(journal, options)
  return {
    profile,
    isSandbox: await chooseSandbox(context, journal, { profile, batches }),
    state,
    since: since?.from,
    until: until?.until,
    unfinished,
    hidesAttempts: !all && state === undefined && !unfinished,
    actors: await selectActors(journal, options),
    batches,
    limit,
  }
}

/** Whether a flag selects some of the orders. */
const isSelection = (options: OrderListOptions): boolean => {
  const { profile, state, since, until, batch, by, mine, unfinished } = options
  const texts = [profile, state, since, until, batch, by]
  return mine || unfinished || texts.some((each) => each !== undefined)
}

type Printing = {
  readonly journal: Journal
  readonly filter: Filter
  readonly options: OrderListOptions
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
  const summary = context.stderr.isQuiet ? noSummary : await summarizeList(journal.read, filter, from)
  const now = context.clock.now()
  const stale = entries.filter((entry) => isStale(entry, now))
  const describe = () =>
    describeOrders(
      journal.read,
      entries.map((entry) => ({ entry })),
      now,
    )
  if (options.csv) context.stdout.write(renderResultsCsv(listedFields, await describe(), context.stdout))
  else
    await output.print({
      names: listNames(listedFields),
      data: async () => (await describe()).map((order) => readFields(listedFields, order)),
      ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
      screen: async () => {
        if (entries.length === 0) return ''
        const orders = await describe()
        // --by and --mine select one person, but another role may have written an order for them.
        const showsPeople =
          (summary.hasSeveralPeople && filter.actors === undefined) ||
          orders.some(({ by }) => by !== undefined && isWrittenByOther(by))
        const shown = showsPeople ? orders : orders.map((order) => ({ ...order, by: undefined }))
        return renderResults(listedFields, shown, viewOfTable(context))
      },
    })
  warnOfRefuted(
    context,
    entries.filter(isRefuted).map(({ orderId = '' }) => orderId),
  )
  if (entries.length === 0) writeNote(context, 'No matching orders\n')
  if (hasMore) {
    const shown = entries.length === 1 ? 'order only' : `${entries.length} orders`
    writeNote(context, `Showing the newest ${shown}. Use --limit to see more.\n`)
  }
  const { attempts } = summary
  if (attempts > 0) {
    const show = attempts === 1 ? 'Show it' : 'Show them'
    const advice = isSelection(options) ? ' with --all.' : `: ${context.suggest`list ${{ all: true }}`}`
    writeNote(context, `${countAttempts(attempts)} hidden. ${show}${advice}\n`)
  }
  if (!options.json && !options.quiet) {
    for (const [profile, { length }] of Map.groupBy(stale, (entry) => entry.profile)) {
      const count = length === 1 ? 'The state of 1 order is' : `The states of ${length} orders are`
      const suggest = profile === environmentName ? context.suggest : context.suggest.onProfile(profile)
      writeNote(context, `${count} more than 1 h old. Update: ${suggest`reconcile`}\n`)
    }
    await noteHidden(context, journal, filter, { by: 'list', isEmpty: entries.length === 0 })
  }
  if (entries.length === 0) await printKnownNames(context, journal, options)
}

const noSummary: Summary = { attempts: 0, hasSeveralPeople: false }

const countAttempts = (attempts: number): string =>
  attempts === 1
    ? '1 attempt that never became an order is'
    : `${attempts.toLocaleString('en-US')} attempts that never became an order are`
