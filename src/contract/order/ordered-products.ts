// The products of an order as the journal stores them: the order, and the known facts about its cards and its price.

export type OrderedProduct = {
  readonly sku: string
  readonly productType: string
  /** An exact decimal. */
  readonly quote: string
  readonly ordered: number
  /** The number of cards. Undefined until the order is final. */
  readonly delivered?: number | undefined
  /** The number of these cards that are duplicates. Undefined if there are none. */
  readonly duplicates?: number | undefined
  /**
   * The share of the invoice, an exact decimal in the wallet's currency. Undefined if it is not known, and for the only
   * product of an order: its share is the total.
   */
  readonly charged?: string | undefined
}

type Stored = readonly [
  sku: string,
  productType: string,
  quote: string,
  ordered: number,
  delivered: number | null,
  charged: string | null,
  duplicates?: number,
]

/** The same products have the same text, so that a database can group orders by it. Undefined without products. */
export const formatProducts = (products: readonly OrderedProduct[]): string | undefined => {
  if (products.length === 0) return undefined
  const stored = products.map((product): Stored => {
    const { sku, productType, quote, ordered, delivered = null, charged = null, duplicates = 0 } = product
    const share = products.length === 1 ? null : charged
    const all = [sku, productType, quote, ordered, delivered, share] as const
    return duplicates === 0 ? all : [...all, duplicates]
  })
  return JSON.stringify(stored.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Undefined if the text is damaged. */
export const parseProducts = (text: string): OrderedProduct[] | undefined => {
  try {
    const stored: unknown = JSON.parse(text)
    if (!Array.isArray(stored) || !stored.every(isStored)) return undefined
    return stored.map(([sku, productType, quote, ordered, delivered, charged, duplicates]) => ({
      ...{ sku, productType, quote, ordered },
      ...{ delivered: delivered ?? undefined, charged: charged ?? undefined, duplicates },
    }))
  } catch {
    return undefined
  }
}

const isAmount = (value: unknown): boolean => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)

const isStored = (value: unknown): value is Stored => {
  if (!Array.isArray(value) || (value.length !== 6 && value.length !== 7)) return false
  const [sku, productType, quote, ordered, delivered, charged, duplicates = 0] = value
  return (
    [sku, productType].every((each) => typeof each === 'string') &&
    [quote, charged ?? quote].every(isAmount) &&
    [ordered, delivered ?? 0, duplicates].every(Number.isSafeInteger)
  )
}

/**
 * Adds the content of a later response. It never forgets a card that was delivered, because a service may delete the
 * redeem data of an old order.
 */
export const mergeProducts = (known: string | undefined, later: string | undefined): string | undefined => {
  if (known === later || later === undefined) return known
  const products = parseProducts(later)
  if (products === undefined) return known
  const before = new Map(parseProducts(known ?? '')?.map((product) => [product.sku, product]))
  return formatProducts(
    products.map((product) => {
      const earlier = before.get(product.sku)
      if (earlier === undefined) return product
      return {
        ...product,
        productType: earlier.productType,
        delivered: maxDefined(earlier.delivered, product.delivered),
        duplicates: maxDefined(earlier.duplicates, product.duplicates),
        charged: product.charged ?? earlier.charged,
      }
    }),
  )
}

const maxDefined = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

type ProductCounts = {
  readonly cards: number
  /** Undefined until the order is final. */
  readonly delivered: number | undefined
  readonly duplicates: number
}

export const countCards = (products: readonly OrderedProduct[]): ProductCounts => {
  let [cards, delivered, duplicates]: [number, number, number] = [0, 0, 0]
  for (const product of products) {
    cards += product.ordered
    delivered += product.delivered ?? Number.NaN
    duplicates += product.duplicates ?? 0
  }
  return { cards, delivered: Number.isNaN(delivered) ? undefined : delivered, duplicates }
}
