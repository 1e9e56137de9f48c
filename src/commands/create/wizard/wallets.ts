// The wallets that the wizard offers, and which one it suggests.
import type { Choice } from '../../../ui/prompts/asking.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import type { KnownProduct } from '../../shared/products/known-products.ts'
import type { Product } from './product.ts'

export type Wallets = ReturnType<typeof createWallets>

/** `known`: the likeliest comes first. */
export const createWallets = (known: readonly string[], products: readonly KnownProduct[]) => {
  const failed = new Set<string>()
  const findCurrency = (ordered: readonly Product[]): string | undefined => {
    const currencies = new Set(
      ordered.map(({ sku }) => products.find((product) => product.sku === sku)?.price?.currency),
    )
    return currencies.size === 1 ? [...currencies][0] : undefined
  }
  return {
    /** The only wallet that is known. */
    only: known.length === 1 ? known[0] : undefined,
    /** The wallet has too little money. */
    addFailed: (wallet: string): void => void failed.add(wallet),
    hasFailed: (wallet: string): boolean => failed.has(wallet),
    /** The wallet in the currency of all these products, or the likeliest one. */
    suggest: (ordered: readonly Product[]): string | undefined => {
      const currency = findCurrency(ordered)
      const usable = known.filter((wallet) => !failed.has(wallet))
      if (currency === undefined || failed.has(currency)) return usable[0]
      return known.length === 0 || usable.includes(currency) ? currency : usable[0]
    },
    /** A wallet with too little money comes last. */
    list: (): Choice[] =>
      [...new Set([...known, ...failed])]
        .toSorted((one, other) => Number(failed.has(one)) - Number(failed.has(other)))
        .map((value) => ({
          value,
          name: failed.has(value) ? `${sanitize(value)}  had too little money` : sanitize(value),
        })),
  }
}
