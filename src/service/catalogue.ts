// The catalogue: what the embedded service sells, for which wallets and at which rates, built in or from a file.
import { type Decimal, decimal } from '../contract/decimal.ts'
import builtIn from './catalogue.json' with { type: 'json' }

/** Section 2.8. */
export type RedeemShape = 'A' | 'B'

/** What a trigger product provokes, since nothing else would. */
export type Behaviour = (typeof behaviours)[number]
export const behaviours = ['server-error', 'not-found-later', 'fail', 'reject', 'slow', 'odd-state'] as const

type Instructions = Readonly<Record<(typeof texts)[number], string | null>>
export const texts = ['tnc', 'tncHtml', 'redeem', 'redeemHtml', 'languageCode'] as const

export const cardFields = ['redeemLink', 'redeemCardCode', 'redeemSerialNumber', 'redeemPin'] as const

type Price = { productType: 'fixed'; quote: Decimal } | { productType: 'range'; min: Decimal; max: Decimal }

export type Product = Readonly<
  Price & {
    sku: string
    name: string
    country: string
    region: string
    currency: string
    /** Percent, as is the discount. */
    fee: Decimal
    discount: Decimal
    /** Units; without it there is no end of them. */
    stock?: number
    redeemShape: RedeemShape
    instructions: Instructions | null
    expiresInDays: number | null
    behaviour?: Behaviour
    /** Fields of its cards that the issuer leaves empty. */
    withholds?: readonly (typeof cardFields)[number][]
  }
>

/** What whoever orders it has to know. */
export type PricedProduct = Readonly<{
  sku: string
  name?: string
  productType: Product['productType']
  price: Readonly<{ least: Decimal; most: Decimal; currency: string }>
}>

type Priced = Omit<PricedProduct, 'price'> & {
  readonly currency: string
  readonly quote?: Decimal
  readonly min?: Decimal
  readonly max?: Decimal
}

/** Of one that is checked: it has a quote, or both ends of a range. */
export const pricedProduct = ({
  sku,
  name,
  productType,
  currency,
  quote,
  min,
  max,
}: Priced): PricedProduct => ({
  sku,
  ...(name === undefined ? {} : { name }),
  productType,
  price: { least: (quote ?? min) as Decimal, most: (quote ?? max) as Decimal, currency },
})

/** An amount in the target currency is the amount in the base currency × rate. */
export type Rate = Readonly<{ baseCurrency: string; targetCurrency: string; rate: Decimal }>

export type Catalogue = {
  readonly products: ReadonlyMap<string, Product>
  readonly wallets: ReadonlyMap<string, Decimal>
  readonly rates: readonly Rate[]
}

export type Wallet = { currency: string; balance: Decimal }
export const catalogueOf = (products: Product[], wallets: Wallet[], rates: Rate[]): Catalogue => ({
  products: new Map(products.map((each) => [each.sku, each])),
  wallets: new Map(wallets.map((each) => [each.currency, each.balance])),
  rates,
})

// A test checks the built-in file: checked at each start, it would cost each sandbox command 20 ms.
const counts = ['stock', 'expiresInDays']
const exactly = ([key, value]: [string, unknown]) =>
  typeof value === 'number' && !counts.includes(key) ? [key, decimal(`${value}`)] : [key, value]
const exact = <Row>(row: object): Row => Object.fromEntries(Object.entries(row).map(exactly))

let loaded: Catalogue | undefined
export const builtInCatalogue = (): Catalogue => {
  const { products, wallets, rates } = builtIn
  loaded ??= catalogueOf(products.map(exact<Product>), wallets.map(exact<Wallet>), rates.map(exact<Rate>))
  return loaded
}

/** A catalogue in the words of its file. */
export const catalogueDocument = ({ products, wallets, rates }: Catalogue) => ({
  products: [...products.values()],
  wallets: [...wallets].map(([currency, balance]) => ({ currency, balance })),
  rates,
})
