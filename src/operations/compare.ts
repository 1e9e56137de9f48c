// Whether the order that the service shows is the order that was placed.
import { type Decimal, formatDecimal, parseDecimal } from '../contract/decimal.ts'
import { isSameReference } from '../contract/reference.ts'
import type { Order } from '../contract/schemas.ts'
import { Failure } from '../errors.ts'
import type { Entry } from '../journal/entry.ts'
import { readRequestedProducts } from '../journal/requested-products.ts'
import { quoteShellWord } from '../text/shell-word.ts'

export type Difference = { readonly field: string; readonly placed: string; readonly now: string }

type Placed = Pick<Entry, 'reference' | 'wallet' | 'total' | 'request'>

/** Empty if the order is the one in the journal. What the journal does not know is not compared. */
export const differencesTo = (placed: Placed, order: Order): Difference[] => {
  const { reference, wallet, total } = placed
  const placedTotal = total === undefined ? undefined : parseDecimal(total)
  return [
    ...(reference === undefined || isSameReference(reference, order.reference)
      ? []
      : [difference('reference', reference, order.reference)]),
    ...(wallet === undefined || wallet === order.invoice.wallet
      ? []
      : [difference('wallet', wallet, order.invoice.wallet)]),
    ...(placedTotal === undefined || placedTotal.eq(order.invoice.total)
      ? []
      : [difference('total', formatDecimal(placedTotal), formatDecimal(order.invoice.total))]),
    ...productDifferences(placed, order),
  ]
}

const difference = (field: string, placed: string, now: string): Difference => ({ field, placed, now })

type Line = { readonly quote: Decimal; readonly quantity: number }

const productDifferences = (placed: Placed, order: Order): Difference[] => {
  const requested = readRequestedProducts(placed)
  if (requested === undefined) return []
  const ordered = new Map<string, Line>(requested.map((line) => [line.sku, line]))
  const shown = new Map<string, Line>([...order.products].map(([sku, { request }]) => [sku, request]))
  const skus = new Set([...ordered.keys(), ...shown.keys()])
  return [...skus].flatMap((sku) => lineDifferences(sku, ordered.get(sku), shown.get(sku)))
}

const lineDifferences = (sku: string, placed: Line | undefined, now: Line | undefined): Difference[] => {
  if (placed !== undefined && now !== undefined && isSameLine(placed, now)) return []
  return [difference(`product ${sku}`, lineText(placed), lineText(now))]
}

const isSameLine = (one: Line, other: Line): boolean =>
  one.quote.eq(other.quote) && one.quantity === other.quantity

const lineText = (line: Line | undefined): string =>
  line === undefined ? 'none' : `${line.quantity} x ${formatDecimal(line.quote)}`

/** For an error, or for a screen: one line a difference. */
export const differenceText = ({ field, placed, now }: Difference): string =>
  `${field}: ordered ${placed}, now ${now}`

/** A mismatch always refuses, unless somebody has seen it and accepts it. */
export const refuseChanges = (orderId: string, differences: readonly Difference[]): void => {
  if (differences.length === 0) return
  throw new Failure(
    'refused',
    `the order ${orderId} is not the order that was placed; it was not confirmed`,
    {
      orderId,
      violations: differences.map(differenceText),
      fix: `If the changes are right: orderctl confirm ${quoteShellWord(orderId)} --accept-changes`,
    },
  )
}
