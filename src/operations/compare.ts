// Compares the order that the service shows, or a new request, with the order that was placed.
import {
  type Decimal,
  decimal,
  formatDecimal,
  parseDecimal,
  toMillionths,
} from '../contract/money/decimal.ts'
import type { OrderRequest, ProductLine } from '../contract/order/order-request.ts'
import { isSameReference } from '../contract/order/reference.ts'
import type { Order } from '../contract/schemas.ts'
import { Failure, type Remedy } from '../errors.ts'
import type { Entry } from '../journal/orders/entries.ts'
import { readRequestLines } from '../journal/orders/products.ts'

export type Difference = { readonly field: string; readonly placed: string; readonly now: string }

/** The products of its request. Undefined if it was created elsewhere, or if its request cannot be read. */
export const readRequestedProducts = ({ request }: Pick<Entry, 'request'>): ProductLine[] | undefined => {
  try {
    const lines = readRequestLines(request)
    return lines?.map((line) => ({ ...line, quote: decimal(line.quote) })) as ProductLine[]
  } catch {
    return undefined
  }
}

/** Values that the journal does not contain are not compared. */
export const findDifferences = (
  placed: Pick<Entry, 'reference' | 'wallet' | 'total' | 'request'>,
  order: Order,
): Difference[] => {
  const { reference, invoice, products } = order
  const total = placed.total === undefined ? undefined : parseDecimal(placed.total)
  const shown = [...products].map(([sku, { request }]) => ({ ...request, sku }))
  return [
    ...(isSameReference(placed.reference ?? reference, reference)
      ? []
      : compare('reference', placed.reference, reference)),
    ...compare('wallet', placed.wallet, invoice.wallet),
    ...(total !== undefined && isSameAmount(total, invoice.total)
      ? []
      : compare('total', total && formatDecimal(total), formatDecimal(invoice.total))),
    ...compareLines(readRequestedProducts(placed) ?? shown, shown, describeLine),
  ]
}

/** Undefined if the entry has no request. References are not compared. */
export const compareRequest = (
  entry: Pick<Entry, 'request' | 'wallet'>,
  { productList, wallet }: Pick<OrderRequest, 'productList' | 'wallet'>,
): Difference[] | undefined => {
  const stored = readRequestedProducts(entry)
  if (stored === undefined) return undefined
  const describe = (line: ProductLine): string => `${describeLine(line)} (${line.productType})`
  return [...compare('wallet', entry.wallet ?? '', wallet), ...compareLines(stored, productList, describe)]
}

/** To the millionth, as amounts count against limits. */
const isSameAmount = (one: Decimal, other: Decimal): boolean =>
  toMillionths(formatDecimal(one)) === toMillionths(formatDecimal(other))

/** A value that is not known is not compared. */
const compare = (field: string, placed: string | undefined, now: string): Difference[] =>
  placed === undefined || placed === now ? [] : [{ field, placed, now }]

const compareLines = <Line extends { readonly sku: string }>(
  placed: readonly Line[],
  now: readonly Line[],
  describe: (line: Line) => string,
): Difference[] => {
  const textsOf = (lines: readonly Line[]) => new Map(lines.map((line) => [line.sku, describe(line)]))
  const [before, after] = [textsOf(placed), textsOf(now)]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((sku) =>
    compare(`product ${sku}`, before.get(sku) ?? 'none', after.get(sku) ?? 'none'),
  )
}

const describeLine = ({ quantity, quote }: Pick<ProductLine, 'quantity' | 'quote'>): string =>
  `${quantity} x ${formatDecimal(quote)}`

export const differenceText = ({ field, placed, now }: Difference): string =>
  `${field}: ordered ${placed}, now ${now}`

/** `isOfBatch`: a batch buys exactly the cards of its rows. */
export const refuseChanges = (
  orderId: string,
  differences: readonly Difference[],
  isOfBatch = false,
): void => {
  if (differences.length === 0) return
  const placed = isOfBatch ? 'the order that its batch placed' : 'the order that was placed'
  const remedy: Remedy = isOfBatch
    ? { advice: 'Changes to an order of a batch cannot be accepted.' }
    : {
        fix: (suggest) => suggest`get ${orderId}`,
        advice: 'To accept the changes, confirm the order with --accept-changes.',
      }
  throw new Failure('order-changed', `the order ${orderId} differs from ${placed}; it was not confirmed`, {
    orderId,
    violations: differences.map(differenceText),
    ...remedy,
  })
}
