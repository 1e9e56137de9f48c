// The operations create, confirm and get, without HTTP (order-service.md 4).
import type { Clock } from '../contract/clock.ts'
import { formatDecimal, fromMinor, roundTo, toMinor } from '../contract/decimal.ts'
import { limits } from '../contract/limits.ts'
import type { OrderRequest, ProductLine } from '../contract/order-request.ts'
import type { RefusalKind } from '../contract/refusals.ts'
import { confirmRequest } from '../contract/schemas.ts'
import { readAs } from '../contract/shape.ts'
import { pendingState } from '../contract/states.ts'
import { collectViolations, type Violation } from '../contract/violations.ts'
import { createGroupRunner } from '../sqlite/transactions.ts'
import type { Catalogue, Product, Rate } from './catalogue.ts'
import { scheduleOutcome } from './lifecycle.ts'
import { toTimestamp, writeCompactJson, writeInvoice, writeOrder } from './order-text.ts'
import { computeCharge, type Line, moveRate, type PricedOrder, priceOrder, type RateMode } from './pricing.ts'
import { createSettlement, type Settlement, type SettlementSettings } from './settlement.ts'
import type { Store } from './store.ts'
import { type OrderRow, readLines, type StoredLine } from './stored-orders.ts'

/** `data` is JSON. */
export type ServiceResponse =
  | { readonly kind: 'done'; readonly message: string; readonly data: string; readonly orderId: string }
  | ({ readonly kind: 'refused'; readonly refusal: RefusalKind } & RefusalDetails)

type RefusalDetails = { readonly orderId?: string; readonly violations?: readonly Violation[] }

export type ServiceSettings = SettlementSettings & {
  readonly rates: RateMode
  /** The time from the confirmation to the outcome. */
  readonly processingMs: number
  /** Called with the time at which a newly confirmed order is due. */
  readonly onOutcomeScheduled: (time: number) => void
}

export type Service = ReturnType<typeof createService>

type Parts = {
  readonly store: Store
  readonly clock: Clock
  readonly settings: ServiceSettings
  readonly settlement: Settlement
  /** Runs the work in a transaction in which all orders are settled that are due `now`. */
  readonly transact: <Result>(work: (now: number) => Result) => Promise<Result>
}

export const createService = (store: Store, clock: Clock, settings: ServiceSettings) => {
  const settlement = createSettlement(store, clock, settings)
  const transact = createGroupRunner(store.transaction, () => {
    const now = clock.now()
    settlement.settleDue(now)
    return now
  })
  const parts: Parts = { store, clock, settings, settlement, transact }
  return {
    create: (document: unknown) => createOrder(parts, document),
    confirm: (document: unknown) => confirmOrder(parts, document),
    get: (id: string | undefined) => getOrder(parts, id),
    listRates: (): Rate[] => settings.catalogue.rates.map(createMarket(parts, clock.now())),
    settleDue: () => settlement.settleDue(clock.now()),
    refresh: (row: OrderRow): OrderRow => settlement.refresh(row, clock.now()),
  }
}

// Loaded by the first create, because it loads zod, which confirm and get do not need. Kept, because each import()
// looks the file up again, which takes 4 % of a create.
let orderRequest: Promise<typeof import('../contract/order-request.ts')> | undefined
const loadOrderRequest = () => {
  orderRequest ??= import('../contract/order-request.ts')
  return orderRequest
}

const createOrder = async (parts: Parts, document: unknown): Promise<ServiceResponse> => {
  const { store, settings, transact } = parts
  const { checkOrderRequest } = await loadOrderRequest()
  const checked = checkOrderRequest(document, 'overlooked')
  if ('violations' in checked) {
    return refuse(chooseRefusal(checked.violations), { violations: checked.violations })
  }
  const { request } = checked
  const lines = findLines(request, settings.catalogue)
  if (typeof lines === 'string') return refuse(lines)

  return transact((now) => {
    const isInStock = ({ product, quantity }: Line) => (store.readStock(product.sku) ?? quantity) >= quantity
    if (!lines.every(isInStock)) return refuse('out-of-stock')
    const priced = priceOrder(
      lines,
      request.wallet,
      settings.catalogue.rates,
      createMarket(parts, now),
      toTimestamp(now),
    )
    if (priced === undefined) return refuse('exchange-unsupported')
    // Spec silent: a wallet that does not exist. Here its balance is zero.
    const funds = fromMinor(request.wallet, store.readBalance(request.wallet))
    // Compared as decimals, because the total may be too large for an integer of minor units.
    if (priced.invoice.total.gt(funds)) return refuse('insufficient-funds')
    return insertOrder(parts, request, lines, priced, now)
  })
}

/** The first order starts the market, so a new state has the rates of the catalogue. */
const createMarket =
  ({ store, settings }: Parts, now: number) =>
  (rate: Rate): Rate =>
    settings.rates === 'fixed'
      ? rate
      : moveRate(rate, now - (store.orders.findFirstTime() ?? now), store.seed)

const insertOrder = (
  { store }: Parts,
  request: OrderRequest,
  lines: readonly Line[],
  priced: PricedOrder,
  now: number,
): ServiceResponse => {
  const { wallet, reference, webhookUrl } = request
  const { exchangeRates, invoice, retailInvoice, products } = priced
  const number = store.orders.findNextNumber()
  const id = store.orders.createId(number)
  const expiresAt = now + limits.validityMs
  const rates = writeCompactJson(exchangeRates)
  const total = writeCompactJson(invoice.total)
  const records = writeCompactJson(invoice.records)
  store.orders.insert({
    number,
    id,
    reference,
    wallet,
    total: toMinor(wallet, invoice.total),
    webhook_url: webhookUrl ?? null,
    state: pendingState,
    created_at: now,
    expires_at: expiresAt,
    hidden_gets: lines.some(({ product }) => product.behaviour === 'not-found-later') ? 1 : 0,
    lines: JSON.stringify(toStoredLines(lines, priced)),
    products: writeCompactJson(Object.fromEntries(products)),
    exchange_rates: rates,
    invoice_total: total,
    invoice_records: records,
  })
  return succeed(
    'Order created.',
    id,
    `{"id":${JSON.stringify(id)},"exchangeRates":${rates},` +
      `"invoice":${writeInvoice(wallet, total, records, pendingState)},` +
      `"retailInvoice":${writeCompactJson(retailInvoice)},"expiresAt":${expiresAt}}`,
  )
}

const confirmOrder = async (
  { store, settings, settlement, transact }: Parts,
  document: unknown,
): Promise<ServiceResponse> => {
  const { data, issues } = readAs(confirmRequest, document)
  if (issues !== undefined)
    return refuse('invalid-order-id', { violations: collectViolations(issues, document) })
  const id = data.orderId
  return transact((now) => {
    const row = store.orders.find(id)
    if (row === undefined || row.state !== pendingState) return refuse('not-pending', { orderId: id })
    if (now >= row.expires_at) return refuse('expired', { orderId: id })
    if (!store.charge(row.number, row.wallet, row.total, now)) {
      return refuse('insufficient-funds', { orderId: id })
    }
    // Spec silent: stock that ran out after the creation. Here the line fails in processing.
    const lines = readLines(row).map((line) =>
      store.takeStock(line.sku, line.quantity) ? line : { ...line, short: true },
    )
    const schedule = scheduleOutcome(now, settings.processingMs, lines)
    store.orders.confirm(row.number, schedule, lines)
    settlement.enqueueWebhook(row, 'confirmed', now)
    settings.onOutcomeScheduled(schedule.finalAt)
    return succeed('Order confirmed successfully.', id, JSON.stringify({ id, state: 'confirmed' }))
  })
}

const getOrder = ({ store, clock, settlement }: Parts, id: string | undefined): ServiceResponse => {
  if (id === undefined || id === '') return refuse('invalid-order-id')
  const row = store.orders.find(id)
  if (row === undefined) return refuse('order-not-found', { orderId: id })
  if (row.hidden_gets > 0) {
    store.orders.countHiddenGet(row.number)
    return refuse('order-not-found', { orderId: id })
  }
  return succeed('Order retrieved.', id, writeOrder(settlement.refresh(row, clock.now())))
}

const succeed = (message: string, orderId: string, data: string): ServiceResponse => ({
  kind: 'done',
  message,
  orderId,
  data,
})

const refuse = (refusal: RefusalKind, details: RefusalDetails = {}): ServiceResponse => ({
  kind: 'refused',
  refusal,
  ...details,
})

/** The order of the checks is in order-service.md 7.1. */
const chooseRefusal = (violations: readonly Violation[]): RefusalKind => {
  const inList = violations.filter(({ path }) => path.startsWith('productList'))
  if (inList.some(({ isTooBig }) => isTooBig !== true)) return 'list-malformed'
  return inList.length > 0 ? 'list-too-big' : 'bad-request'
}

const findLines = (request: OrderRequest, catalogue: Catalogue): Line[] | RefusalKind => {
  const lines: Line[] = []
  for (const { sku, quote, quantity } of request.productList) {
    const product = catalogue.products.get(sku)
    if (product === undefined) return 'product-not-found'
    lines.push({ product, quote, quantity })
  }
  for (const [index, { product }] of lines.entries()) {
    const refusal = checkQuote(product, request.productList[index])
    if (refusal !== undefined) return refusal
  }
  return lines.some(({ product }) => product.behaviour === 'server-error') ? 'server-error' : lines
}

const checkQuote = (product: Product, line: ProductLine | undefined): RefusalKind | undefined => {
  if (line === undefined || line.productType !== product.productType) return 'quote-mismatch'
  if (product.productType === 'fixed') return line.quote.eq(product.quote) ? undefined : 'quote-mismatch'
  if (line.quote.lt(product.min) || line.quote.gt(product.max)) return 'quote-out-of-range'
  // A fraction of a minor unit (half a yen) is not a valid amount.
  return roundTo(product.currency, line.quote).eq(line.quote) ? undefined : 'quote-mismatch'
}

const toStoredLines = (lines: readonly Line[], { invoice }: PricedOrder): StoredLine[] =>
  lines.map(({ product, quote, quantity }, index) => {
    const record = invoice.records[index]
    return {
      sku: product.sku,
      quantity,
      quote: formatDecimal(quote),
      currency: product.currency,
      charge: record === undefined ? 0 : toMinor(invoice.wallet, computeCharge(record, invoice.wallet)),
      behaviour: product.behaviour,
    }
  })
