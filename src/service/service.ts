// Section 4: create, confirm and get. It knows no HTTP.
import type { Clock } from '../contract/clock.ts'
import { decimalText, fromMinor, roundTo, toMinor } from '../contract/decimal.ts'
import { limits } from '../contract/limits.ts'
import type { OrderRequest, ProductLine } from '../contract/order-request.ts'
import type { RefusalKind } from '../contract/refusals.ts'
import { confirmRequest } from '../contract/schemas.ts'
import { readAs } from '../contract/shape.ts'
import { pendingState } from '../contract/states.ts'
import { type Violation, violationsOf } from '../contract/violations.ts'
import { orderIdFrom } from './cards.ts'
import type { Catalogue, Product } from './catalogue.ts'
import { schedule } from './lifecycle.ts'
import { invoiceText, orderText, timestampOf } from './order-text.ts'
import { chargeOf, type Line, type Priced, price } from './pricing.ts'
import { createSettlement, type SettlementSettings } from './settlement.ts'
import type { Store } from './store.ts'
import { type OrderRow, type StoredLine, storedLines } from './stored-orders.ts'

/** What an operation comes to; `data` is a JSON text. */
export type Answer =
  | { readonly kind: 'done'; readonly message: string; readonly data: string; readonly orderId: string }
  | ({ readonly kind: 'refused'; readonly refusal: RefusalKind } & RefusalDetails)

type RefusalDetails = { readonly orderId?: string; readonly violations?: readonly Violation[] }

export type ServiceSettings = SettlementSettings & {
  /** From the confirmation to the outcome. */
  readonly processingMs: number
  /** Told when an order will have its outcome. */
  readonly onOutcomeAt: (time: number) => void
}

export type Service = ReturnType<typeof createService>

export const createService = (store: Store, clock: Clock, settings: ServiceSettings) => {
  const { catalogue } = settings
  const orderId = orderIdFrom(store.seed)
  const settlement = createSettlement(store, clock, settings)

  const create = async (document: unknown): Promise<Answer> => {
    // Loaded with the first order: whoever reads one does not need it.
    const { checkOrderRequest } = await import('../contract/order-request.ts')
    const checked = checkOrderRequest(document, 'overlooked')
    if ('violations' in checked) {
      return refused(refusalOf(checked.violations), { violations: checked.violations })
    }
    const { request } = checked
    const lines = linesOf(request, catalogue)
    if (typeof lines === 'string') return refused(lines)

    return store.transaction(() => {
      const now = clock.now()
      settlement.settleDue(now)
      const enough = ({ product, quantity }: Line) => (store.remaining(product.sku) ?? quantity) >= quantity
      if (!lines.every(enough)) return refused('out-of-stock')
      const priced = price(lines, request.wallet, catalogue.rates, timestampOf(now))
      if (priced === undefined) return refused('exchange-unsupported')
      // Spec silent on a wallet that does not exist: it holds nothing.
      const funds = fromMinor(request.wallet, store.balance(request.wallet))
      // Compared before it is counted in minor units: a total may be larger than can be counted.
      if (priced.invoice.total.gt(funds)) return refused('insufficient-funds')
      const total = toMinor(request.wallet, priced.invoice.total)

      const { exchangeRates, invoice, retailInvoice } = priced
      const number = store.orders.nextNumber()
      const id = orderId(number)
      const expiresAt = now + limits.validityMs
      // Written once: the same texts are kept and answered.
      const rates = JSON.stringify(exchangeRates)
      const invoiceTotal = JSON.stringify(invoice.total)
      const invoiceRecords = JSON.stringify(invoice.records)
      store.orders.insert(number, {
        id,
        reference: request.reference,
        wallet: request.wallet,
        total,
        webhook_url: request.webhookUrl ?? null,
        state: pendingState,
        created_at: now,
        expires_at: expiresAt,
        hidden_gets: lines.some(({ product }) => product.behaviour === 'not-found-later') ? 1 : 0,
        lines: JSON.stringify(linesToKeep(lines, priced)),
        products: JSON.stringify(Object.fromEntries(priced.products)),
        exchange_rates: rates,
        invoice_total: invoiceTotal,
        invoice_records: invoiceRecords,
      })
      return done(
        'Order created.',
        id,
        `{"id":${JSON.stringify(id)},"exchangeRates":${rates},` +
          `"invoice":${invoiceText(request.wallet, invoiceTotal, invoiceRecords, pendingState)},` +
          `"retailInvoice":${JSON.stringify(retailInvoice)},"expiresAt":${expiresAt}}`,
      )
    })
  }

  const confirm = (document: unknown): Answer => {
    const { data, issues } = readAs(confirmRequest, document)
    if (issues !== undefined)
      return refused('invalid-order-id', { violations: violationsOf(issues, document) })
    const id = data.orderId
    return store.transaction(() => {
      const now = clock.now()
      settlement.settleDue(now)
      const row = store.orders.byId(id)
      if (row === undefined || row.state !== pendingState) return refused('not-pending', { orderId: id })
      if (now >= row.expires_at) return refused('expired', { orderId: id })
      if (!store.charge(row.number, row.wallet, row.total, now)) {
        return refused('insufficient-funds', { orderId: id })
      }
      // Spec silent on stock that ran out since the creation: such a line fails in processing.
      const lines = storedLines(row).map((line) =>
        store.takeStock(line.sku, line.quantity) ? line : { ...line, short: true },
      )
      const times = schedule(now, settings.processingMs, lines)
      store.orders.confirm(row.number, times, lines)
      settlement.announce(row, 'confirmed', now)
      settings.onOutcomeAt(times.finalAt)
      return done('Order confirmed successfully.', id, JSON.stringify({ id, state: 'confirmed' }))
    })
  }

  const get = (id: string | undefined): Answer => {
    if (id === undefined || id === '') return refused('invalid-order-id')
    const row = store.orders.byId(id)
    if (row === undefined) return refused('order-not-found', { orderId: id })
    if (row.hidden_gets > 0) {
      store.orders.hideOnceLess(row.number)
      return refused('order-not-found', { orderId: id })
    }
    return done('Order retrieved.', id, orderText(settlement.upToDate(row, clock.now())))
  }

  return {
    create,
    confirm,
    get,
    settleDue: () => settlement.settleDue(clock.now()),
    upToDate: (row: OrderRow): OrderRow => settlement.upToDate(row, clock.now()),
  }
}

const done = (message: string, orderId: string, data: string): Answer => ({
  kind: 'done',
  message,
  orderId,
  data,
})

const refused = (refusal: RefusalKind, details: RefusalDetails = {}): Answer => ({
  kind: 'refused',
  refusal,
  ...details,
})

// A malformed list cannot be measured, so that is said first; what lies outside the list comes last.
const refusalOf = (violations: readonly Violation[]): RefusalKind => {
  const inList = violations.filter(({ path }) => path.startsWith('productList'))
  if (inList.some(({ tooBig }) => tooBig !== true)) return 'list-malformed'
  return inList.length > 0 ? 'list-too-big' : 'bad-request'
}

const linesOf = (request: OrderRequest, catalogue: Catalogue): Line[] | RefusalKind => {
  const lines: Line[] = []
  for (const { sku, quote, quantity } of request.productList) {
    const product = catalogue.products.get(sku)
    if (product === undefined) return 'product-not-found'
    lines.push({ product, quote, quantity })
  }
  for (const [index, { product }] of lines.entries()) {
    const problem = quoteProblem(product, request.productList[index])
    if (problem !== undefined) return problem
  }
  return lines.some(({ product }) => product.behaviour === 'server-error') ? 'server-error' : lines
}

const quoteProblem = (product: Product, line: ProductLine | undefined): RefusalKind | undefined => {
  if (line === undefined || line.productType !== product.productType) return 'quote-mismatch'
  if (product.productType === 'fixed') return line.quote.eq(product.quote) ? undefined : 'quote-mismatch'
  if (line.quote.lt(product.min) || line.quote.gt(product.max)) return 'quote-out-of-range'
  // Half a yen lies in the range, but is no amount.
  return roundTo(product.currency, line.quote).eq(line.quote) ? undefined : 'quote-mismatch'
}

const linesToKeep = (lines: readonly Line[], { invoice }: Priced): StoredLine[] =>
  lines.map(({ product, quote, quantity }, index) => {
    const record = invoice.records[index]
    return {
      sku: product.sku,
      quantity,
      quote: decimalText(quote),
      currency: product.currency,
      charge: record === undefined ? 0 : toMinor(invoice.wallet, chargeOf(record, invoice.wallet)),
      ...(product.behaviour === undefined ? {} : { behaviour: product.behaviour }),
    }
  })
