// Compares the order that the service shows with the order that was placed.
import { type Decimal, formatDecimal, parseDecimal } from '../contract/decimal.ts'
import { isSameReference } from '../contract/reference.ts'
import type { Order } from '../contract/schemas.ts'
import { Failure } from '../errors.ts'
import type { Entry } from '../journal/entry.ts'
import { readRequestedProducts } from '../journal/requested-products.ts'

export type Difference = { readonly field: string; readonly placed: string; readonly now: string }

type Placed = Pick<Entry, 'reference' | 'wallet' | 'total' | 'request'>

/** Values that the journal does not have are not compared. */
export const findDifferences = (placed: Placed, order: Order): Difference[] => {
  const { reference, wallet, total } = placed
  const placedTotal = total === undefined ? undefined : parseDecimal(total)
  return [
    ...(reference === undefined || isSameReference(reference, order.reference)
      ? []
      : [createDifference('reference', reference, order.reference)]),
    ...(wallet === undefined || wallet === order.invoice.wallet
      ? []
      : [createDifference('wallet', wallet, order.invoice.wallet)]),
    ...(placedTotal === undefined || placedTotal.eq(order.invoice.total)
      ? []
      : [createDifference('total', formatDecimal(placedTotal), formatDecimal(order.invoice.total))]),
    ...compareProducts(placed, order),
  ]
}

const createDifference = (field: string, placed: string, now: string): Difference => ({ field, placed, now })

type Line = { readonly quote: Decimal; readonly quantity: number }

const compareProducts = (placed: Placed, order: Order): Difference[] => {
  const requested = readRequestedProducts(placed)
  if (requested === undefined) return []
  const ordered = new Map<string, Line>(requested.map((line) => [line.sku, line]))
  const shown = new Map<string, Line>([...order.products].map(([sku, { request }]) => [sku, request]))
  const skus = new Set([...ordered.keys(), ...shown.keys()])
  return [...skus].flatMap((sku) => compareLines(sku, ordered.get(sku), shown.get(sku)))
}

const compareLines = (sku: string, placed: Line | undefined, now: Line | undefined): Difference[] => {
  if (placed !== undefined && now !== undefined && isSameLine(placed, now)) return []
  return [createDifference(`product ${sku}`, describeLine(placed), describeLine(now))]
}

const isSameLine = (one: Line, other: Line): boolean =>
  one.quote.eq(other.quote) && one.quantity === other.quantity

const describeLine = (line: Line | undefined): string =>
  line === undefined ? 'none' : `${line.quantity} x ${formatDecimal(line.quote)}`

export const differenceText = ({ field, placed, now }: Difference): string =>
  `${field}: ordered ${placed}, now ${now}`

/** The reference decides which order may be confirmed, so another one cannot be accepted. */
export const refuseOtherOrder = (orderId: string, differences: readonly Difference[]): never => {
  throw new Failure(
    'refused',
    `the service shows another order under the id ${orderId}; it was not confirmed`,
    {
      orderId,
      violations: differences.map(differenceText),
      fix: (suggest) => `Another reference cannot be accepted. Show that order: ${suggest`get ${orderId}`}`,
    },
  )
}

export const refuseChanges = (orderId: string, differences: readonly Difference[]): void => {
  if (differences.length === 0) return
  throw new Failure(
    'refused',
    `the order ${orderId} differs from the order that was placed; it was not confirmed`,
    {
      orderId,
      violations: differences.map(differenceText),
      fix: (suggest) => `To accept the changes: ${suggest`confirm ${orderId} --accept-changes`}`,
    },
  )
}
