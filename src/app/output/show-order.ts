// Joins what the journal, a response and the view say about orders, for a list of their fields. Prints an order with its
// cards, and the next step.

import { parseProducts } from '../../contract/order/ordered-products.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import { toMilliseconds } from '../../contract/time.ts'
import { exitCodes, Failure } from '../../errors.ts'
import type { Access } from '../../journal/access.ts'
import { findActors, mayOnlyPrepare } from '../../journal/accounts.ts'
import { findBatchNames } from '../../journal/batches/batch-names.ts'
import { type Entry, findSuccessor, type Owner } from '../../journal/orders/entries.ts'
import { readRequestLines } from '../../journal/orders/products.ts'
import { findExpiry, findSeenTime, findUndocumented, isStale } from '../../journal/orders/standings.ts'
import { listUnrecorded, recordCardsOf } from '../../operations/identify-cards.ts'
import type { ReadOrder } from '../../operations/read.ts'
import { type OrderView, viewOrder } from '../../operations/view.ts'
import { maskCards, type OwnedCard } from '../../ui/cards/card-fields.ts'
import { createCodeMasker, listCodes, maskOrder, maskResponse } from '../../ui/masking/mask-response.ts'
import type { OrderShown } from '../../ui/screens/order.ts'
import {
  listShownProducts,
  type OrderFacts,
  orderFields,
  type ShownProduct,
} from '../../ui/screens/orders.ts'
import { findShownWord, formatSuggestion, type Suggestion, writeSuggestion } from '../../ui/screens/state.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { listNames, readFields } from '../../ui/text/result-fields.ts'
import type { CommandSession } from '../open-session.ts'
import { writeProse } from '../terminal.ts'
import {
  codesOf,
  ensureDelivered,
  formatOf,
  type OutputOptions,
  outputFor,
  type Printed,
  warnOfOrder,
} from './output.ts'

/** As ordered, or as the service showed them. */
const listProducts = (entry: Entry): readonly ShownProduct[] | undefined => {
  const known = parseProducts(entry.products ?? '')?.map(({ ordered, ...product }) => ({
    ...product,
    quantity: ordered,
  }))
  const deliveredOf = new Map(known?.map(({ sku, delivered }) => [sku, delivered]))
  const requested = readRequestLines(entry.request)
  return requested?.map((product) => ({ ...product, delivered: deliveredOf.get(product.sku) })) ?? known
}

/** What the journal alone says about an order. */
const viewEntry = (entry: Entry, now: number): OrderView =>
  viewOrder({ entry, calls: [] }, undefined, { now, serviceNow: undefined, wants: 'shown' })

/** Keeps what else is known of each order. */
export const describeOrders = async <Row extends { readonly entry: Entry }>(
  access: Access,
  orders: readonly Row[],
  now: number,
): Promise<(Row & OrderFacts)[]> => {
  const entries = orders.map(({ entry }) => entry)
  const [batches, findActor] = await Promise.all([
    findBatchNames(access, entries),
    findActors(access, entries),
  ])
  return orders.map((order) => {
    const { entry } = order
    const view = viewEntry(entry, now)
    return {
      ...order,
      view,
      products: listProducts(entry),
      expiresAt: view.money === 'spent' ? undefined : findExpiry(entry),
      batch: entry.batch === undefined ? undefined : batches.get(entry.batch),
      by: findActor(entry),
      staleSince: isStale(entry, now) ? findSeenTime(entry) : undefined,
      undocumentedWord: findUndocumented(entry),
    }
  })
}

/** For an order that the journal does not know. */
export const withoutJournal = {
  batch: undefined,
  by: undefined,
  staleSince: undefined,
  undocumentedWord: undefined,
}

type Shown = {
  readonly isRevealed: boolean
  /** The cards that are shown. Default: all. */
  readonly cards?: readonly OwnedCard[]
  /** The part of the response that is shown. Default: the whole. */
  readonly service?: object
}

export const describeRead = async (
  { journals, clock }: CommandSession,
  seen: ReadOrder,
  shown: Shown,
): Promise<OrderFacts> => {
  const { known } = seen
  let ofJournal: OrderFacts | undefined
  if (known !== undefined)
    await journals.attempt('the person and the batch of the order were not read', async ({ read }) => {
      ;[ofJournal] = await describeOrders(read, [known], clock.now())
    })
  return joinResponse(ofJournal, seen, shown)
}

/** Only `cards` and `service` show codes, and only if they are revealed. */
export const joinResponse = (
  ofJournal: OrderFacts | undefined,
  seen: ReadOrder,
  { isRevealed, cards = listNumbered(seen), service = seen.data }: Shown,
): OrderFacts => {
  const { data, known, view } = seen
  const order = maskOrder(data)
  const createdDate = toMilliseconds(data.createdDate)
  const expiresAt = findExpiry(known?.entry ?? { createdDate, placedAt: createdDate })
  return {
    ...withoutJournal,
    ...ofJournal,
    ...{ entry: known?.entry, order, view },
    products: listShownProducts(data, order, view),
    expiresAt: view.money === 'spent' ? undefined : expiresAt,
    cards: isRevealed ? cards : maskCards(cards, createCodeMasker(listCodes(data.redeem))),
    service: isRevealed ? service : maskResponse(service, data),
  }
}

/** The cards of an order, by their numbers. */
export const listNumbered = ({ data, cards = listUnrecorded(data) }: ReadOrder) =>
  cards.map(({ card, number }) => ({ ...card, number }))

/**
 * A card is handed out by its number, so the journal has to know the numbers that are shown. `number` is that of --card.
 * Without it, a list is also shown if the journal cannot be written.
 */
export const recordNumbers = async (
  { journals, owner }: CommandSession,
  seen: ReadOrder,
  number: number | undefined,
): Promise<ReadOrder> => {
  const { data, cards } = seen
  if (cards !== undefined || (number === undefined && findCards(data.redeem).length < 2)) return seen
  try {
    const journal = await journals.openOrCreate()
    return { ...seen, cards: await recordCardsOf({ journal, owner }, data) }
  } catch (error) {
    const isStopped = error instanceof Failure && ['interrupted', 'terminated'].includes(error.kind)
    if (number !== undefined || isStopped) throw error
    return seen
  }
}

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
