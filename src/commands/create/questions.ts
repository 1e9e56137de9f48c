// The questions about an order: its products, its wallet and its reference. Each is asked once, and again if the user changes
// the answer in the review. The checks of the answers are those of the order itself.

import type { KnownProduct, KnownProducts } from '../../app/known-products.ts'
import { findProductProblems, formatPrice } from '../../app/product-list.ts'
import { orderLimits } from '../../contract/limits.ts'
import { decimal, formatDecimal, parseDecimal } from '../../contract/money/decimal.ts'
import { checkOrderRequest } from '../../contract/order/order-request.ts'
import { normalizeCurrency } from '../../contract/shape.ts'
import type { ProductInput } from '../../text/flags.ts'
import type { Ask, Choice, Question } from '../../ui/prompts/ask.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { OrderParts } from './draft.ts'

export type Questions = ReturnType<typeof createQuestions>

/**
 * `given`: the parts that need no question. `generated`: the reference, if another one is not given or typed.
 * `cancel`: throws if the user cancels a question.
 */
export const createQuestions = (
  ask: Ask,
  cancel: () => never,
  { products, list, wallets: known }: KnownProducts,
  given: OrderParts,
  generated: string,
) => {
  const order: WizardOrder = {
    products: given.productList ?? [],
    wallet: given.wallet ?? (known.length === 1 ? known[0] : undefined),
    reference: given.reference ?? generated,
  }
  const askText = async (question: Question): Promise<string> => (await ask.text(question)) ?? cancel()

  const checkSku = (sku: string): string | undefined => {
    const [problem] = list === undefined ? [] : findProductProblems(list, { sku })
    return checkPart('sku', sku) ?? (problem && `allowed: ${problem.allowed}`)
  }

  const replaceProduct = (at: number, ...by: ProductInput[]): void => {
    order.products = order.products.toSpliced(at, 1, ...by)
  }

  /** Replaces the product at this index, whose answers Enter keeps, or adds one at the end. */
  const askProduct = async (at = order.products.length): Promise<void> => {
    const earlier = order.products[at]
    const others = order.products.toSpliced(at, 1)
    const isTaken = (wanted: string): boolean => others.some(({ sku }) => sku === wanted)
    const sku = await askText({
      message: products.length === 0 ? 'Product (type a SKU)' : 'Product',
      initial: earlier?.sku,
      choices: products.filter(({ sku }) => !isTaken(sku)).map(toChoice),
      check: (text) => (isTaken(text) ? 'already in the order' : checkSku(text)),
    })
    const same = earlier?.sku === sku ? earlier : undefined
    const found = products.find((product) => product.sku === sku)
    const price = found?.price
    const fixedQuote = price?.most.eq(price.least) ? formatDecimal(price.least) : undefined
    const quote =
      fixedQuote ??
      (await askText({
        message: price === undefined ? 'Amount of each' : `Amount of each (${formatPrice(price)})`,
        initial: same?.quote ?? found?.lastQuote,
        check: (text) => checkQuote(text, price),
      }))
    const knownType = found && (same?.type ?? found.type)
    const type =
      knownType ??
      (await askText({
        message: 'Product type (fixed, range, …)',
        initial: same?.type ?? 'fixed',
        // : and / separate the parts of --product.
        check: (text) =>
          /[:/]/.test(text) ? 'allowed: a product type without : and /' : checkPart('productType', text),
      }))
    const max = maxQuantity(others)
    const quantity = await askText({
      message: `Quantity (1 to ${max})`,
      initial: earlier?.quantity ?? '1',
      check: (text) =>
        /^[1-9]\d{0,6}$/.test(text) && Number(text) <= max
          ? undefined
          : `allowed: a whole number from 1 to ${max}; to buy more, use batch run`,
    })
    replaceProduct(at, { sku, quote: normalizeQuote(quote, price), type, quantity })
  }

  const canAddProduct = (): boolean => maxQuantity(order.products) > 0

  /** Wallets that had too little money. */
  const failed = new Set<string>()
  const askWallet = async (): Promise<void> => {
    const currencies = new Set(order.products.map(({ sku }) => findCurrency(sku, products)))
    const choices = listWallets(known, failed, currencies)
    const wallet = await askText({
      message: 'Wallet to pay from',
      initial: [order.wallet, choices[0]].find((each) => each !== undefined && !failed.has(each)),
      choices: choices.map((value) => {
        return { value, name: `${sanitize(value)}${failed.has(value) ? '  had too little money' : ''}` }
      }),
      check: (text) => checkPart('wallet', text),
    })
    order.wallet = normalizeCurrency(wallet)
  }

  const askReference = async (): Promise<void> => {
    order.reference = await askText({
      message: 'Your reference',
      initial: order.reference,
      check: (text) => checkPart('reference', text),
    })
  }

  return {
    ...{ order, products },
    /** After the wallet had too little money. */
    askOtherWallet: (): Promise<void> => {
      failed.add(order.wallet ?? '')
      return askWallet()
    },
    /** Asks for the parts that are not given. */
    askMissing: async (): Promise<void> => {
      const asksProducts = given.productList === undefined
      for (let wantsMore = asksProducts; wantsMore; ) {
        await askProduct()
        wantsMore = canAddProduct() && ((await ask.yesOrNo('Add another product?')) ?? cancel())
      }
      if (order.wallet === undefined) await askWallet()
      // With products given, a missing reference is generated without a question.
      if (asksProducts && given.reference === undefined) await askReference()
    },
    /** Asks what to do with the complete order. */
    askNext: async (placing: string): Promise<'place' | 'change'> => {
      const next = await ask.choose<'place' | 'change' | undefined>('What do you want to do?', [
        { name: placing, value: 'place' },
        { name: 'change it', value: 'change' },
        { name: 'cancel', value: undefined },
      ])
      return next ?? cancel()
    },
    /** Asks what to change, and for its new value. */
    askChange: async (): Promise<void> => {
      const names = order.products.map(({ sku }) => sanitize(sku))
      const change = await ask.choose('What do you want to change?', [
        ...names.map((name, at) => ({ name: `change ${name}`, value: () => askProduct(at) })),
        ...(names.length < 2 ? [] : names).map((name, at) => {
          return { name: `remove ${name}`, value: async () => replaceProduct(at) }
        }),
        ...(canAddProduct() ? [{ name: 'add a product', value: () => askProduct() }] : []),
        { name: 'change the wallet', value: askWallet },
        { name: 'change the reference', value: askReference },
      ])
      await (change ?? cancel)()
    },
  }
}

const toChoice = ({ sku, name, price }: KnownProduct): Choice => ({
  value: sku,
  // The name comes last: right-to-left text would reorder a price after it.
  name: [sku, price && formatPrice(price), name]
    .filter((each) => each !== undefined)
    .map(sanitize)
    .join('  '),
})

export const findCurrency = (wanted: string, products: readonly KnownProduct[]): string | undefined =>
  products.find(({ sku }) => sku === wanted)?.price?.currency

/**
 * The wallets to offer: the one in the currency of all products first, then the likeliest. Those that had too little money
 * come last. `currencies`: those of the products.
 */
export const listWallets = (
  known: readonly string[],
  failed: ReadonlySet<string>,
  currencies: ReadonlySet<string | undefined>,
): readonly string[] => {
  const [currency] = currencies.size === 1 ? currencies : []
  const rank = (wallet: string): number => (failed.has(wallet) ? 2 : wallet === currency ? 0 : 1)
  const wallets = known.length === 0 && currency !== undefined ? [currency] : known
  return wallets.toSorted((one, other) => rank(one) - rank(other))
}

export type WizardOrder = {
  products: readonly ProductInput[]
  wallet: string | undefined
  reference: string
}

/** The largest quantity that the limits of one order allow for another product. */
const maxQuantity = (others: readonly ProductInput[]): number => {
  const { skusPerOrder, quantityPerSku, quantityPerOrder } = orderLimits
  if (others.length >= skusPerOrder) return 0
  const units = others.reduce((all, { quantity }) => all + Number(quantity), 0)
  return Math.min(quantityPerSku, quantityPerOrder - units)
}

/** Checks one part in an order that is valid otherwise. */
const checkPart = (part: 'sku' | 'productType' | 'wallet' | 'reference', text: string) => {
  const line = { sku: 'A', productType: 'fixed', quote: decimal('1'), quantity: 1 }
  const order = { productList: [line], wallet: 'USD', reference: 'A' }
  const document =
    part === 'sku' || part === 'productType'
      ? { ...order, productList: [{ ...line, [part]: text }] }
      : { ...order, [part]: text }
  const [violation] = checkOrderRequest(document, 'refused').violations
  return violation && `allowed: ${violation.allowed}`
}

/** Also takes `25,50` and `25 USD`. A comma before three digits may separate thousands, so it stays wrong. */
export const normalizeQuote = (text: string, price: KnownProduct['price']): string => {
  const [, amount = text, currency] = /^([\d.,]+) ?([A-Za-z]+)$/.exec(text) ?? []
  if (currency !== undefined && currency.toUpperCase() !== price?.currency) return text
  return /^\d+,\d{1,2}$/.test(amount) ? amount.replace(',', '.') : amount
}

export const checkQuote = (text: string, price: KnownProduct['price']): string | undefined => {
  const quote = parseDecimal(normalizeQuote(text, price))
  if (quote === undefined || !quote.gt('0')) return 'allowed: a number above 0, such as 25 or 12.50'
  if (price === undefined || (quote.gte(price.least) && quote.lte(price.most))) return undefined
  return `allowed: ${formatPrice(price)}`
}
