// Names the products that probably caused the refusal of a create.
import { isVerbatim, type RefusalKind } from '../../contract/refusals.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure, joinFixes } from '../../errors.ts'
import type { Session } from '../../operations/session.ts'
import type { Account } from '../../profiles/account.ts'
import { findHint, readEarlierProducts } from '../shared/products/known-products.ts'
import { findProductViolations } from '../shared/products/product-list.ts'
import type { CompleteOrder, Draft } from './draft.ts'

type Ordered = Pick<CompleteOrder, 'request'> & Pick<Draft, 'list'> & { readonly account: Account }

/** The refusals that one product causes, and the part that is wrong. */
const productRefusals: ReadonlyMap<string | undefined, 'sku' | 'price'> = new Map([
  ['product-not-found', 'sku'],
  ['quote-mismatch', 'price'],
  ['quote-out-of-range', 'price'],
])

/** The service does not say which product it refuses. */
export const addProductHints = async (
  { journal }: Session,
  ordered: Ordered,
  error: unknown,
): Promise<unknown> => {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error
  const { refusal, said = '', fix, violations } = error.details
  const part = productRefusals.get(refusal)
  const isProduct = part !== undefined && isVerbatim(refusal as RefusalKind, said)
  const hints = isProduct ? await listHints(journal, ordered, part) : []
  const isSandbox = ordered.account.kind === 'sandbox'
  return new Failure(error.kind, error.message, {
    ...error.details,
    fix: isSandbox ? joinFixes(fix, 'See the products and prices: orderctl sandbox') : fix,
    violations: hints.length === 0 ? violations : hints,
  })
}

const listHints = async (
  journal: Session['journal'],
  { account, request, list }: Ordered,
  part: 'sku' | 'price',
): Promise<readonly string[]> => {
  if (list !== undefined) return findProductViolations(request, list).map(formatViolation)
  try {
    const earlier = await readEarlierProducts(journal, account)
    const hints = request.productList.map((line) => findHint(earlier, line))
    return hints.flatMap((hint) => (hint?.kind === part ? [hint.text] : []))
  } catch (error) {
    // The refusal matters more than the hint.
    if (error instanceof Failure) return []
    throw error
  }
}
