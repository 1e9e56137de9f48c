// Which products of an order are probably wrong: the service does not say which product it refuses.
import type { Context } from '../../context.ts'
import type { CheckedRequest, OrderRequest } from '../../contract/order-request.ts'
import { isVerbatim, type RefusalKind } from '../../contract/refusals.ts'
import { createViolation, formatViolation, type Violation } from '../../contract/violations.ts'
import { Failure, joinFixes } from '../../errors.ts'
import type { Session } from '../../operations/session.ts'
import type { Account } from '../../profiles/account.ts'
import { type Journals, journalsOf } from '../shared/journal/open-journal.ts'
import { findProductProblems } from '../shared/products/check-product.ts'
import { findHint, readEarlierProducts, warnOfProducts } from '../shared/products/earlier-products.ts'
import type { ProductList } from '../shared/products/product-list.ts'

type Checked = {
  readonly checked: CheckedRequest
  /** Undefined if something else is wrong, too. */
  readonly fix: string | undefined
}

export const addProductViolations = (
  checked: CheckedRequest,
  document: { readonly productList?: unknown },
  list: ProductList | undefined,
): Checked => {
  const found = list === undefined ? [] : findProductViolations(document, list)
  if (found.length === 0) return { checked, fix: undefined }
  const others = 'violations' in checked ? checked.violations : []
  return { checked: { violations: [...others, ...found] }, fix: others.length === 0 ? list?.fix : undefined }
}

const findProductViolations = (
  document: { readonly productList?: unknown },
  list: ProductList,
): Violation[] => {
  const lines: unknown[] = Array.isArray(document.productList) ? document.productList : []
  return lines.flatMap((line, index) =>
    findProductProblems(list, (line ?? {}) as object).map(({ part, allowed }) =>
      createViolation(document, ['productList', index, part], allowed),
    ),
  )
}

/** The refusals that one product causes, and the part that is wrong. */
const productRefusals: ReadonlyMap<string | undefined, 'sku' | 'price'> = new Map([
  ['product-not-found', 'sku'],
  ['quote-mismatch', 'price'],
  ['quote-out-of-range', 'price'],
])

type Refused = { readonly request: OrderRequest; readonly list: ProductList | undefined }

/** Adds to a refusal which products may have caused it. */
export const addProductHints = async (
  { journal }: Pick<Session, 'journal'>,
  account: Account,
  refused: Refused,
  error: unknown,
): Promise<unknown> => {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error
  const { refusal, said = '', fix } = error.details
  const part = productRefusals.get(refusal)
  const isProduct = part !== undefined && isVerbatim(refusal as RefusalKind, said)
  const hints = isProduct ? await listHints(journal, account, refused, part) : []
  const sandboxFix = account.kind === 'sandbox' ? 'See the products and prices: orderctl sandbox' : undefined
  return new Failure(error.kind, error.message, {
    ...error.details,
    ...(fix === undefined && sandboxFix === undefined ? {} : { fix: joinFixes(fix, sandboxFix) }),
    ...(hints.length === 0 ? {} : { violations: hints }),
  })
}

const listHints = async (
  journal: Session['journal'],
  account: Account,
  { request, list }: Refused,
  part: 'sku' | 'price',
): Promise<readonly string[]> => {
  if (list !== undefined) return findProductViolations(request, list).map(formatViolation)
  try {
    const earlier = await readEarlierProducts(journal, account)
    return request.productList.flatMap((line) => {
      const hint = findHint(earlier, line)
      return hint?.kind === part ? [hint.text] : []
    })
  } catch (error) {
    // The refusal matters more than the hint.
    if (error instanceof Failure) return []
    throw error
  }
}

/** For a dry run: warns of products that are probably wrong. `opened`: the journals, if the command has opened them. */
export const printHints = async (
  context: Context,
  account: Account,
  request: OrderRequest,
  opened?: Journals,
): Promise<void> => {
  const journals = opened ?? journalsOf(context, account, { noInput: true })
  try {
    const journal = await journals.openToRead()
    if (journal === undefined) return
    const earlier = await readEarlierProducts(journal, account)
    warnOfProducts(
      context,
      earlier,
      request.productList.map((line, index) => [`productList[${index}]`, line]),
    )
  } catch (error) {
    // Without a usable journal, there is nothing to compare.
    if (!(error instanceof Failure)) throw error
  } finally {
    if (opened === undefined) await journals.close()
  }
}
