// The products that an account has ordered before, and what they say about a new order. They are not all products of
// the account, so they are only hints.
import type { Context } from '../../../context.ts'
import { type Decimal, formatDecimal } from '../../../contract/decimal.ts'
import type { Journal } from '../../../journal/journal.ts'
import { readRequestedProducts } from '../../../operations/compare.ts'
import type { Account } from '../../../profiles/account.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { suggestSku } from './check-product.ts'

export type ProductLine = { readonly sku: string; readonly productType: string; readonly quote: Decimal }

export type EarlierProducts = ReadonlyMap<string, ProductLine>

const maxOrders = 300

/** Each SKU as it was ordered last. Products that the service refused are not among them. */
export const readEarlierProducts = async (
  journal: Pick<Journal, 'listOrders'>,
  account: Account,
): Promise<EarlierProducts> => {
  const products = new Map<string, ProductLine>()
  for (const entry of await journal.listOrders({ profile: account.name, limit: maxOrders })) {
    const isElsewhere = account.kind === 'service' && entry.origin !== account.baseUrl
    if (isElsewhere || entry.orderId === undefined) continue
    for (const line of readRequestedProducts(entry) ?? []) {
      if (!products.has(line.sku)) products.set(line.sku, line)
    }
  }
  return products
}

export type ProductHint = {
  readonly kind: 'sku' | 'price'
  readonly text: string
  readonly isLikely: boolean
}

/** A hint about a product that differs from those of earlier orders. Undefined if there is nothing to say. */
export const findHint = (
  earlier: EarlierProducts,
  { sku, productType, quote }: ProductLine,
): ProductHint | undefined => {
  if (earlier.size === 0) return undefined
  const known = earlier.get(sku)
  if (known === undefined) {
    const suggestion = suggestSku(sku, earlier.keys())
    const text = `${sku} is in no earlier order of this account${suggestion}`
    return { kind: 'sku', text, isLikely: suggestion !== '' }
  }
  const createPriceHint = (was: string, is: string) =>
    ({ kind: 'price', text: `${sku} was ${was} in an earlier order, not ${is}`, isLikely: true }) as const
  if (known.productType !== productType) return createPriceHint(known.productType, productType)
  return productType === 'fixed' && !known.quote.eq(quote)
    ? createPriceHint(formatDecimal(known.quote), formatDecimal(quote))
    : undefined
}

const maxWarnings = 20

/** Warns once of each product that is probably a typing error. `place` names it: 'line 7'. */
export const warnOfProducts = (
  { stderr }: Pick<Context, 'stderr'>,
  earlier: EarlierProducts,
  lines: Iterable<readonly [place: string, line: ProductLine]>,
): void => {
  const warned = new Set<string>()
  for (const [place, line] of lines) {
    if (warned.size === maxWarnings) return
    const hint = findHint(earlier, line)
    if (hint === undefined || !hint.isLikely || warned.has(hint.text)) continue
    warned.add(hint.text)
    stderr.warn(sanitize(`${place}: ${hint.text}`))
  }
}
