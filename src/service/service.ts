// The operations create, confirm and get, without HTTP (order-service.md 4). Finishes confirmed orders: final state, cards or
// refund, and the webhooks that announce them. Writes orders as the JSON of responses (2.4).

import { orderLimits } from '../contract/limits.ts'
import { decimal, formatDecimal, fromMinor, roundTo, toMinor } from '../contract/money/decimal.ts'
import type { OrderRequest } from '../contract/order/order-request.ts'
import type { RefusalKind } from '../contract/refusals.ts'
import { confirmRequest, type InvoiceRecord } from '../contract/schemas.ts'
import { readAs } from '../contract/shape.ts'
import { isFinal, pendingState } from '../contract/states.ts'
import { type Clock, dayMs } from '../contract/time.ts'
import { createViolation, type Violation } from '../contract/violations.ts'
import { createGroupRunner } from '../sqlite/transactions.ts'
import { createCardFactory, type NewCard } from './cards.ts'
import type { Catalogue, cardFields, RedeemShape } from './catalogue.ts'
import {
  computeCharge,
  decideOutcome,
  type PricedLine,
  type PricedOrder,
  priceOrder,
  scheduleOutcome,
} from './rules.ts'
import { type OrderRow, readOrderLines, type Store, type StoredLine } from './store.ts'

type RefusedRequest = {
  readonly kind: 'refused'
  readonly refusal: RefusalKind
  readonly orderId?: string
  readonly violations?: readonly Violation[]
}

/** `data` is JSON. */
export type ServiceResponse =
  | RefusedRequest
  | { readonly kind: 'done'; readonly message: string; readonly data: string; readonly orderId: string }

export type ServiceSettings = {
  readonly catalogue: Catalogue
  /** Overrides the shape of every product. */
  readonly redeemShape?: RedeemShape | undefined
  /** Spec silent: whether a second webhook is sent when the order is final. */
  readonly finalWebhook: boolean
  /** Called when a webhook is added to the outbox. */
  readonly onDelivery: () => void
  /** The time from the confirmation to the outcome. */
  readonly processingMs: number
  /** Called when an order was confirmed. */
  readonly onOutcomeScheduled: () => void
}

export type Service = ReturnType<typeof createService>

type Parts = {
  readonly store: Store
  readonly settings: ServiceSettings
  readonly finisher: ReturnType<typeof createFinisher>
  /** Runs the work in a transaction that first finishes all orders that are due `now`. */
  readonly transact: <Result>(work: (now: number) => Result) => Promise<Result>
  readonly refresh: (row: OrderRow) => OrderRow
}

export const createService = (store: Store, clock: Clock, settings: ServiceSettings) => {
  const finisher = createFinisher(store, clock, settings)
  const transact = createGroupRunner(store.transaction, () => {
    const now = clock.now()
    finisher.finishDue(now)
    return now
  })
  const refresh = (row: OrderRow): OrderRow => finisher.refresh(row, clock.now())
  const parts: Parts = { store, settings, finisher, transact, refresh }
  return {
    create: (document: unknown) => createOrder(parts, document),
    confirm: (document: unknown) => confirmOrder(parts, document),
    get: (id: string | null) => getOrder(parts, id),
    finishDue: () => finisher.finishDue(clock.now()),
    refresh,
  }
}

const createOrder = async (parts: Parts, document: unknown): Promise<ServiceResponse> => {
  const { store, settings, transact } = parts
  // It loads zod, which confirm and get do not need.
  const { checkOrderRequest } = await import('../contract/order/order-request.ts')
  const { request, violations } = checkOrderRequest(document, 'overlooked')
  if (request === undefined) return refuse(chooseRefusal(violations), { violations })
  const lines = findLines(request, settings.catalogue)
  if (typeof lines === 'string') return refuse(lines)

  return transact((now) => {
    const isInStock = ({ product, quantity }: PricedLine) =>
      (store.readStock(product.sku) ?? quantity) >= quantity
    if (!lines.every(isInStock)) return refuse('out-of-stock')
    const priced = priceOrder(lines, request.wallet, settings.catalogue.rates, toTimestamp(now))
    if (priced === undefined) return refuse('exchange-unsupported')
    // Spec silent: a wallet that does not exist. Here its balance is zero.
    const funds = fromMinor(request.wallet, store.readBalance(request.wallet))
    // Compared as decimals, because the total may be too large for an integer of minor units.
    if (priced.invoice.total.gt(funds)) return refuse('insufficient-funds')
    return insertOrder(store, request, lines, priced, now)
  })
}

const insertOrder = (
  { orders }: Store,
  request: OrderRequest,
  lines: readonly PricedLine[],
  priced: PricedOrder,
  now: number,
): ServiceResponse => {
  const { wallet, reference, webhookUrl } = request
  const { exchangeRates, invoice, retailInvoice, products } = priced
  const number = orders.findNextNumber()
  const id = orders.createId(number)
  const expiresAt = now + orderLimits.validityMs
  const rates = JSON.stringify(exchangeRates)
  const total = formatDecimal(invoice.total)
  const records = JSON.stringify(invoice.records)
  orders.insert({
    ...{ number, id, reference, wallet, state: pendingState, created_at: now, expires_at: expiresAt },
    total: toMinor(wallet, invoice.total),
    webhook_url: webhookUrl ?? null,
    hidden_gets: lines.some(({ product }) => product.behaviour === 'not-found-later') ? 1 : 0,
    lines: JSON.stringify(lines.map((line, index) => toStoredLine(line, invoice.records[index], wallet))),
    products: JSON.stringify(Object.fromEntries(products)),
    exchange_rates: rates,
    invoice_total: total,
    invoice_records: records,
  })
  return succeed(
    'Order created.',
    id,
    `{"id":${JSON.stringify(id)},"exchangeRates":${rates},` +
      `"invoice":${writeInvoice(wallet, total, records, pendingState)},` +
      `"retailInvoice":${JSON.stringify(retailInvoice)},"expiresAt":${expiresAt}}`,
  )
}

const toStoredLine = (
  { product: { sku, currency, behaviour }, quote, quantity }: PricedLine,
  record: InvoiceRecord | undefined,
  wallet: string,
): StoredLine => {
  const charge = toMinor(wallet, computeCharge(record, wallet))
  return { sku, quantity, quote: formatDecimal(quote), currency, charge, behaviour }
}

const confirmOrder = async (parts: Parts, document: unknown): Promise<ServiceResponse> => {
  const { store, settings, finisher, transact } = parts
  const { data, issues } = readAs(confirmRequest, document)
  if (issues !== undefined)
    return refuse('invalid-order-id', {
      violations: issues.map(({ path, message }) => createViolation(document, path, message)),
    })
  const id = data.orderId
  return transact((now) => {
    const row = store.orders.find(id)
    if (row === undefined || row.state !== pendingState) return refuse('not-pending', { orderId: id })
    if (now >= row.expires_at) return refuse('expired', { orderId: id })
    if (!store.charge(row.number, row.wallet, row.total, now)) {
      return refuse('insufficient-funds', { orderId: id })
    }
    // Spec silent: stock that ran out after the creation. Here the line fails in processing.
    const lines = readOrderLines(row).map((line) =>
      store.takeStock(line.sku, line.quantity) ? line : { ...line, short: true },
    )
    const schedule = scheduleOutcome(now, settings.processingMs, lines)
    store.orders.confirm(row.number, schedule, lines)
    finisher.enqueueWebhook(row, 'confirmed', now)
    settings.onOutcomeScheduled()
    return succeed('Order confirmed successfully.', id, JSON.stringify({ id, state: 'confirmed' }))
  })
}

const getOrder = ({ store: { orders }, refresh }: Parts, id: string | null): ServiceResponse => {
  if (id === null || id === '') return refuse('invalid-order-id')
  const row = orders.find(id)
  if (row !== undefined && row.hidden_gets === 0)
    return succeed('Order retrieved.', id, writeResponseOrder(refresh(row)))
  if (row !== undefined) orders.countHiddenGet(row.number)
  return refuse('order-not-found', { orderId: id })
}

const succeed = (message: string, orderId: string, data: string): ServiceResponse => ({
  kind: 'done',
  message,
  orderId,
  data,
})

const refuse = (
  refusal: RefusalKind,
  details: Pick<RefusedRequest, 'orderId' | 'violations'> = {},
): RefusedRequest => ({ kind: 'refused', refusal, ...details })

/** The order of the checks is in order-service.md 7.1. */
const chooseRefusal = (violations: readonly Violation[]): RefusalKind => {
  const inList = violations.filter(({ path }) => path.startsWith('productList'))
  if (inList.some(({ isTooBig }) => isTooBig !== true)) return 'list-malformed'
  return inList.length > 0 ? 'list-too-big' : 'bad-request'
}

const findLines = ({ productList }: OrderRequest, { products }: Catalogue): PricedLine[] | RefusalKind => {
  const lines: PricedLine[] = []
  for (const { sku, productType, quote, quantity } of productList) {
    const product = products.get(sku)
    if (product === undefined) return 'product-not-found'
    lines.push({ sku, productType, quote, quantity, product })
  }
  const refusal = lines.map(checkQuote).find((each) => each !== undefined)
  if (refusal !== undefined) return refusal
  return lines.some(({ product }) => product.behaviour === 'server-error') ? 'server-error' : lines
}

const checkQuote = ({ product, productType, quote }: PricedLine): RefusalKind | undefined => {
  if (productType !== product.productType) return 'quote-mismatch'
  if (product.productType === 'fixed') return quote.eq(product.quote) ? undefined : 'quote-mismatch'
  if (quote.lt(product.min) || quote.gt(product.max)) return 'quote-out-of-range'
  // A fraction of a minor unit (half a yen) is not a valid amount.
  return roundTo(product.currency, quote).eq(quote) ? undefined : 'quote-mismatch'
}

const createFinisher = (store: Store, clock: Clock, settings: ServiceSettings) => {
  const createCard = createCardFactory(store.seed)

  const enqueueWebhook = (before: OrderRow, event: 'confirmed' | 'final', at: number): void => {
    if (before.webhook_url === null) return
    // The payload needs the new state.
    const payload = writeResponseOrder(store.orders.find(before.id) ?? before)
    const delivery = { id: `msg_${clock.newId()}`, orderId: before.id, event, url: before.webhook_url, at }
    store.deliveries.enqueue({ ...delivery, payload })
    settings.onDelivery()
  }

  /** Returns the number of the next card. */
  const finish = (row: OrderRow, at: number, firstCard: number): number => {
    let nextCard = firstCard
    const lines = readOrderLines(row)
    const { state, delivered, refunded } = decideOutcome(lines, row.forced ?? undefined)
    const redeem = new Map<string, unknown>()
    let refund = 0
    for (const line of lines) {
      if (refunded.has(line.sku)) refund += line.charge
      if (!delivered.has(line.sku)) continue
      const cards = Array.from({ length: line.quantity }, (_, index) => createCard(nextCard + index))
      nextCard += line.quantity
      redeem.set(line.sku, createRedeemData(line, cards, at, settings))
    }
    if (refund > 0) store.refund(row.number, row.wallet, refund, at)
    const text = redeem.size === 0 ? null : JSON.stringify(Object.fromEntries(redeem))
    store.orders.finish(row.number, state, text)
    if (settings.finalWebhook && isFinal(state)) enqueueWebhook(row, 'final', at)
    return nextCard
  }

  /**
   * Reads the orders in the transaction that finishes them, because a different process may finish them too. Also counts
   * the cards once for all orders: a statement for each line would take 5 % of a confirm.
   */
  const finishAll = (list: () => readonly (OrderRow | undefined)[]): number =>
    store.transaction(() => {
      const rows = list()
      let nextCard = store.readNextCard()
      for (const row of rows)
        if (row?.finished === 0 && row.final_at !== null) nextCard = finish(row, row.final_at, nextCard)
      store.setNextCard(nextCard)
      return rows.length
    })

  return {
    enqueueWebhook,

    /** Finishes up to 100 orders that are due and returns their number. */
    finishDue: (now: number): number =>
      (store.orders.findNextDue() ?? Number.POSITIVE_INFINITY) <= now
        ? finishAll(() => store.orders.listDue(now))
        : 0,

    /** Brings the order to its state at `now`. States only go forward, even if a clock goes back. */
    refresh: (row: OrderRow, now: number): OrderRow => {
      if (row.finished === 1 || row.final_at === null || row.processing_at === null) return row
      if (now >= row.final_at) finishAll(() => [store.orders.find(row.id)])
      else if (now >= row.processing_at && row.state !== 'processing')
        store.orders.startProcessing(row.number)
      else return row
      return store.orders.find(row.id) ?? row
    },
  }
}

const createRedeemData = (
  { sku, quote, currency }: StoredLine,
  cards: readonly NewCard[],
  at: number,
  { catalogue, redeemShape }: ServiceSettings,
) => {
  // A state file may contain orders of a different catalogue.
  const product = catalogue.products.get(sku)
  const value = decimal(quote)
  const link = `https://redeem.example/${encodeURIComponent(sku)}`
  if ((redeemShape ?? product?.redeemShape) === 'B')
    return { redeemPin: cards.map(({ code }) => code), currency, redeemLink: link, value }
  const clearWithheld = (field: (typeof cardFields)[number], text: string): string =>
    product?.withholds?.includes(field) ? '' : text
  const expiresInDays = product?.expiresInDays ?? null
  return {
    redeemInstructions: product?.instructions ?? null,
    cards: cards.map((card) => ({
      redeemLink: clearWithheld('redeemLink', `${link}/${card.code}`),
      redeemCardCode: clearWithheld('redeemCardCode', card.code),
      redeemSerialNumber: clearWithheld('redeemSerialNumber', card.serial),
      redeemPin: clearWithheld('redeemPin', card.pin),
      // Spec silent: the date of a card that never expires. Any text may be empty.
      expirationDate: expiresInDays === null ? '' : new Date(at + expiresInDays * dayMs).toISOString(),
    })),
    currency,
    value,
  }
}

/** order-service.md 2.1 */
const toTimestamp = (ms: number) => ({
  _seconds: Math.floor(ms / 1000),
  _nanoseconds: (ms % 1000) * 1_000_000,
})

/** order-service.md 2.6; `total` and `records` are JSON. */
const writeInvoice = (wallet: string, total: string, records: string, state: string): string => {
  // Spec silent: the status of an unpaid invoice.
  const status = state === pendingState ? 'unpaid' : 'paid'
  return `{"total":${total},"wallet":${JSON.stringify(wallet)},"records":${records},"paymentMethod":"balance","status":"${status}"}`
}

// Joins the stored JSON without parsing it: parsing would take half the time of a get.
const writeResponseOrder = (row: OrderRow): string => {
  const json = JSON.stringify
  const changedAt =
    row.finished === 1 ? row.final_at : row.state === 'processing' ? row.processing_at : row.confirmed_at
  return (
    `{"uid":${json(row.id)},"state":${json(row.state)},"products":${row.products},` +
    `"exchangeRates":${row.exchange_rates},` +
    `"invoice":${writeInvoice(row.wallet, row.invoice_total, row.invoice_records, row.state)},` +
    `"createdDate":${json(toTimestamp(row.created_at))},"modifiedDate":${json(toTimestamp(changedAt ?? row.created_at))},` +
    `"redeem":${row.redeem ?? '{}'},"reference":${json(row.reference)}}`
  )
}
