// Finds the products of an order that are probably wrong. --dry-run warns of them, and a refused create names them.

import { findHint, readEarlierProducts, warnOfProducts } from '../../app/products/known-products.ts'
import { findProductViolations } from '../../app/products/product-list.ts'
import type { Context } from '../../context.ts'
import type { OrderRequest } from '../../contract/order/order-request.ts'
import { isVerbatim } from '../../contract/refusals.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure, joinAdvice } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { findRefused, rewrite } from '../../operations/failures/order-failure.ts'
import type { Account } from '../../profiles/account.ts'
import type { CompleteOrder, Draft } from './draft.ts'

/** The refusals that one product can cause, each with the wrong part of the product. */
const productRefusals: ReadonlyMap<string | undefined, 'sku' | 'price'> = new Map([
  ['product-not-found', 'sku'],
  ['quote-mismatch', 'price'],
  ['quote-out-of-range', 'price'],
])

type Refused = CompleteOrder & Pick<Draft, 'list'> & { readonly account: Account; readonly wizard?: unknown }

/** Names likely products, because the service does not say which product it refuses. */
export const addProductHints = async (
  journal: Journal,
  { account, request, list, wizard }: Refused,
  error: unknown,
): Promise<unknown> => {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error
  const { refusal, message: said = '' } = findRefused(error, 'create') ?? {}
  const { fix, advice, violations } = error.details
  // In the wizard, the user is asked for the type.
  const example =
    refusal === 'quote-mismatch' && wizard === undefined
      ? 'For example: --product SKU:12.50/range'
      : undefined
  const part = productRefusals.get(refusal)
  const hints: string[] = []
  if (refusal !== undefined && part !== undefined && isVerbatim(refusal, said)) {
    if (list !== undefined) hints.push(...findProductViolations(request, list).map(formatViolation))
    else {
      const earlier = await readIfUsable(journal, account)
      const found = request.productList.map((line) => findHint(earlier, line))
      hints.push(...found.flatMap((hint) => (hint?.kind === part ? [hint.text] : [])))
    }
  }
  const isSandbox = account.kind === 'sandbox'
  return rewrite(error, error.message, {
    ...error.details,
    fix: isSandbox ? () => 'orderctl sandbox' : fix,
    advice: joinAdvice(advice, example),
    violations: hints.length === 0 ? violations : hints,
  })
}

export const warnOfUnusualProducts = async (
  context: Context,
  opening: Promise<Journal>,
  account: Account,
  { productList }: OrderRequest,
): Promise<void> => {
  const lines = productList.map((line, index) => [`productList[${index}]`, line] as const)
  warnOfProducts(context, await readIfUsable(opening, account), lines)
}

/** Without a usable journal, there is nothing to compare. */
const readIfUsable = async (opening: Journal | Promise<Journal>, account: Account) => {
  try {
    return await readEarlierProducts(await opening, account)
  } catch (error) {
    if (error instanceof Failure) return new Map()
    throw error
  }
}
