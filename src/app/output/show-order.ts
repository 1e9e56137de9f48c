// Prints an order with its cards, and the next step.

import { findCards } from '../../contract/order/redeem-cards.ts'
import { exitCodes } from '../../errors.ts'
import type { Access } from '../../journal/access.ts'
import { mayOnlyPrepare } from '../../journal/accounts.ts'
import { findBatchNames } from '../../journal/batches/batch-names.ts'
import { type Entry, findSuccessor, type Owner } from '../../journal/orders/entries.ts'
import type { ReadOrder } from '../../operations/read.ts'
import type { OrderShown } from '../../ui/screens/order.ts'
import { orderFields } from '../../ui/screens/orders.ts'
import { findShownWord, formatSuggestion, type Suggestion, writeSuggestion } from '../../ui/screens/state.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { listNames, readFields } from '../../ui/text/result-fields.ts'
import type { CommandSession } from '../open-session.ts'
import { writeProse } from '../terminal.ts'
import { describeRead, listNumbered } from './order-rows.ts'
import {
  codesOf,
  ensureDelivered,
  formatOf,
  type OutputOptions,
  outputFor,
  type Printed,
  warnOfOrder,
} from './output.ts'

/** `cards`: without --reveal. */
type CardOptions = Partial<Pick<OrderShown, 'cards' | 'wasShown'>>

export const createOrderResult = (
  session: CommandSession,
  seen: ReadOrder,
  { cards = 'masked', wasShown }: CardOptions = {},
): Printed => {
  const { data: order, known, view } = seen
  return {
    names: listNames(orderFields),
    data: async (isRevealed) => readFields(orderFields, await describeRead(session, seen, { isRevealed })),
    ids: [order.uid],
    codes: codesOf(order),
    screen: async (isRevealed: boolean) => {
      const { renderOrderWithCards } = await import('../../ui/screens/order.ts')
      const drawn = viewOf(session.context, session.serviceNow())
      return renderOrderWithCards(order, view, drawn, {
        ...{ cards: isRevealed ? 'revealed' : cards, listed: listNumbered(seen) },
        ...{ wasShown, webhookHost: known?.entry.webhookHost },
      })
    },
  }
}

/** Returns the exit code. */
export const showOrder = async (
  session: CommandSession,
  seen: ReadOrder,
  options: OutputOptions,
  result: Printed = createOrderResult(session, seen),
): Promise<number> => {
  const { uid, state } = seen.data
  const warn = () => warnOfOrder(session, seen)
  await outputFor(session.context, options, { session, isPlaced: true }).print({ ...result, warn })
  await ensureDelivered(session.context, `the order ${uid} is ${findShownWord(state, seen.view)}`, uid)
  await printSuggestion(session, seen, options)
  return exitCodes[seen.view.exit].code
}

/** Who confirms an order: the run of its batch, this database role, or a different one. Or what replaced it. */
export const readNextFacts = async (read: Access, { account }: Owner, entry: Entry | undefined) => ({
  placedWith: entry?.placedWith,
  batch: entry?.batch && (await findBatchNames(read, [entry])).get(entry.batch)?.name,
  successor: entry?.batch && entry.standing !== 'confirmed' ? await findSuccessor(read, entry) : undefined,
  needsOtherRole: await mayOnlyPrepare(read, account),
})

/** The suggestion for an order that a response showed. */
export const findSuggestion = async (
  { context, journals, owner }: CommandSession,
  { data, known, view }: ReadOrder,
): Promise<Suggestion> => {
  let facts: Partial<Awaited<ReturnType<typeof readNextFacts>>> = { placedWith: known?.entry.placedWith }
  if (view.next === 'confirm' || (view.next === 'none' && view.money === 'unspent'))
    await journals.attempt('the batch and the limits of the order were not read', async ({ read }) => {
      facts = await readNextFacts(read, owner, known?.entry)
    })
  return writeSuggestion(view, { orderId: data.uid, ...facts }, context.suggest)
}

/** On a screen. `isRead`: the command only reads the order. */
export const printSuggestion = async (
  session: CommandSession,
  seen: ReadOrder,
  options: OutputOptions,
  { isRead = false }: { readonly isRead?: boolean } = {},
): Promise<void> => {
  const { context } = session
  const { stderr, suggest } = context
  if (formatOf(options) !== 'screen') return
  const { data, view } = seen
  if (!view.isFinal && stderr.isTerminal) {
    const text = formatSuggestion(await findSuggestion(session, seen))
    if (text !== '') writeProse(context, `${text}\n`)
  }
  if (isRead) return
  if (view.isFinal && view.progress !== 'successful')
    writeProse(context, `See what happened: ${suggest`explain ${data.uid}`}\n`)
  if (!options.reveal && findCards(data.redeem).length > 0)
    writeProse(context, `Codes are hidden. Show them: ${suggest`redeem ${data.uid} --reveal`}\n`)
}
