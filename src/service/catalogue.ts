// The catalogue: the products, wallets and exchange rates of the local service.
import { type Decimal, decimal, zero } from '../contract/money/decimal.ts'
import builtIn from './catalogue.json' with { type: 'json' }

/** The two documented shapes of redeem data (order-service.md 2.8). */
export type RedeemShape = 'A' | 'B'

/** A rare outcome that a TEST- product triggers. */
export type Behaviour = (typeof behaviours)[number]
export const behaviours = ['server-error', 'not-found-later', 'fail', 'reject', 'slow', 'odd-state'] as const

type Instructions = Readonly<Record<(typeof instructionFields)[number], string | null>>
export const instructionFields = ['tnc', 'tncHtml', 'redeem', 'redeemHtml', 'languageCode'] as const

export const cardFields = ['redeemLink', 'redeemCardCode', 'redeemSerialNumber', 'redeemPin'] as const

type Price = { productType: 'fixed'; quote: Decimal } | { productType: 'range'; min: Decimal; max: Decimal }

export type Product = Readonly<
  Price & {
    sku: string
    name: string
    country: string
    region: string
    currency: string
    /** In percent. */
    fee: Decimal
    /** In percent. */
    discount: Decimal
    /** In units; unlimited if missing. */
    stock?: number
    redeemShape: RedeemShape
    instructions: Instructions | null
    expiresInDays: number | null
    behaviour?: Behaviour
    /** The card fields that the issuer leaves empty. */
    withholds?: readonly (typeof cardFields)[number][]
  }
>

/** The fields of a product that a catalogue may omit. */
export const productDefaults = {
  region: 'local',
  fee: zero,
  discount: zero,
  redeemShape: 'A',
  instructions: null,
  expiresInDays: null,
} as const

/** The part of a product that is needed to order it. */
export type PricedProduct = Readonly<{
  sku: string
  name?: string
  productType: Product['productType']
  price: Readonly<{ least: Decimal; most: Decimal; currency: string }>
}>

type CheckedProduct = Omit<PricedProduct, 'price'> & {
  readonly currency: string
  readonly quote?: Decimal
  readonly min?: Decimal
  readonly max?: Decimal
}

/** Expects a checked product: it has a quote, or both a minimum and a maximum. */
export const pricedProduct = (product: CheckedProduct): PricedProduct => {
  const { sku, name, productType, currency, quote, min, max } = product
  const price = { least: (quote ?? min) as Decimal, most: (quote ?? max) as Decimal, currency }
  return { sku, name, productType, price }
}

/** Target amount = base amount × rate. */
export type Rate = Readonly<{ baseCurrency: string; targetCurrency: string; rate: Decimal }>

export type Catalogue = {
  readonly products: ReadonlyMap<string, Product>
  readonly wallets: ReadonlyMap<string, Decimal>
  readonly rates: readonly Rate[]
}

export type Wallet = { currency: string; balance: Decimal }
export const createCatalogue = (products: Product[], wallets: Wallet[], rates: Rate[]): Catalogue => ({
  products: new Map(products.map((product) => [product.sku, product])),
  wallets: new Map(wallets.map(({ currency, balance }) => [currency, balance])),
  rates,
})

// Not checked here, because the check would cost every sandbox command 20 ms. A test checks the file instead.
const wholeNumbers = ['stock', 'expiresInDays']
const toExactEntry = ([key, value]: [string, unknown]) =>
  typeof value === 'number' && !wholeNumbers.includes(key) ? [key, decimal(`${value}`)] : [key, value]
const toExact = <Row>(row: object): Row => Object.fromEntries(Object.entries(row).map(toExactEntry))

let loaded: Catalogue | undefined
export const builtInCatalogue = (): Catalogue => {
  const { products, wallets, rates } = builtIn
  loaded ??= createCatalogue(
    products.map((product) => toExact<Product>({ ...product, ...productDefaults, ...product })),
    wallets.map(toExact<Wallet>),
    rates.map(toExact<Rate>),
  )
  return loaded
}

/** The catalogue in the format of a catalogue file. */
export const toCatalogueDocument = ({ products, wallets, rates }: Catalogue) => ({
  products: [...products.values()],
  wallets: [...wallets].map(([currency, balance]) => ({ currency, balance })),
  rates,
})
