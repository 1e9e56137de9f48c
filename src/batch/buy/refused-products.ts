// Splits an order that the service refused because of one product, until it finds the product.

import type { RefusedOutcome } from '../../client/api.ts'
import { isVerbatim, type RefusalKind } from '../../contract/refusals.ts'
import { Failure, joinAdvice } from '../../errors.ts'
import type { SlotLine } from '../../journal/batches/batches.ts'
import type { Grouping } from '../../journal/batches/slots.ts'
import { formatProductKey } from '../../operations/batch-limits.ts'

/** Refusals of a create that one product can cause. The service does not say which. */
const productRefusals: ReadonlySet<RefusalKind> = new Set([
  'product-not-found',
  'quote-mismatch',
  'quote-out-of-range',
  'out-of-stock',
  'exchange-unsupported',
  // The service may have lower limits than it documents.
  'list-too-big',
])

/** Refusals that fewer cards of the same product may avoid. */
const quantityRefusals: ReadonlySet<RefusalKind> = new Set(['out-of-stock', 'list-too-big'])

/** A different message with the same status may come from a proxy or a wrong base URL. */
export const findProductRefusal = ({ refusal, message }: RefusedOutcome): RefusalKind | undefined =>
  refusal !== undefined && productRefusals.has(refusal) && isVerbatim(refusal, message) ? refusal : undefined

/** They depend only on the row, so the service would refuse it again. */
const rowRefusals = ['product-not-found', 'quote-mismatch', 'quote-out-of-range'] as const

export const isRowRefusal = (error: string): boolean => rowRefusals.some((kind) => isVerbatim(kind, error))

/** Before any order of a batch is created: the type is probably wrong in all rows, so no card fails. */
export const createRowsFailure = ({ message, details }: Failure, lines: readonly SlotLine[]): Failure =>
  new Failure('refused', message, {
    ...details,
    violations: lines.map(({ sku, quote, productType }) => `${sku} at ${quote}, type ${productType}`),
    advice: joinAdvice(
      details.advice,
      'In a file, the type is in the column productType. Correct the rows, then plan them again under the same name.',
    ),
  })

/** How to split a refused slot into two. Undefined if it is a single product that cannot be bought. */
export const splitRefused = (lines: readonly SlotLine[], refusal: RefusalKind): Grouping | undefined => {
  const [first, ...others] = lines
  if (others.length > 0) {
    const half = new Set(lines.slice(0, Math.floor(lines.length / 2)).map(formatProductKey))
    return (cards) => cards.map((card) => (half.has(formatProductKey(card)) ? 0 : 1))
  }
  if (first === undefined || first.quantity === 1 || !quantityRefusals.has(refusal)) return undefined
  return (cards) => cards.map((_, index) => (index < Math.floor(cards.length / 2) ? 0 : 1))
}
