// The questions about an order: its products, its wallet and its reference. Each can go back to the one before.

import type { KnownProducts } from '../../../app/products/known-products.ts'
import { findProductProblems, formatPrice, type KnownProduct } from '../../../app/products/product-list.ts'
import { batchNameForm, isBatchName } from '../../../cli/batch-name-rule.ts'
import { normalizeCurrency } from '../../../contract/money/currency.ts'
import { formatDecimal } from '../../../contract/money/decimal.ts'
import type { ProductInput } from '../../../text/product-flag.ts'
import { type Ask, back, backChoice, type Choice, type Question } from '../../../ui/prompts/asking.ts'
import type { Writer } from '../../../ui/terminal/io.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import type { OrderParts } from '../order-file.ts'
import {
  checkPart,
  checkQuantity,
  checkQuote,
  maxQuantity,
  needsBatch,
  normalizeQuote,
  type Order,
} from './order.ts'

type OrderQuestion = Question & {
  /** The proposals. The answer is one of them, or any other valid text. */
  readonly listChoices?: () => readonly Choice[]
  readonly isNeeded?: boolean
  /** Called with a valid answer. */
  readonly keep: (answer: string) => void
}

/**
 * Asks one question after the other, from the first or the last on. Each answer decides which later questions are needed,
 * so `list` is called again for each question. Returns false if the user cancels.
 */
export const askAll = async (
  { ask, stderr }: { readonly ask: Ask; readonly stderr: Pick<Writer, 'write'> },
  list: () => readonly OrderQuestion[],
  start: 'first' | 'last',
): Promise<boolean> => {
  const listNeeded = () => list().filter(({ isNeeded }) => isNeeded !== false)
  for (let at = start === 'first' ? 0 : listNeeded().length - 1; ; ) {
    const question = listNeeded()[at]
    if (question === undefined) return true
    const answer = await askOne(ask, question, at > 0)
    if (answer === undefined) return false
    if (answer === back && at === 0) stderr.write('This is the first question. Press Ctrl-C to cancel.\n')
    else at += answer === back ? -1 : 1
    if (answer !== back) question.keep(answer)
  }
}

/** Lists `back` only beside an available choice. Otherwise Enter would choose it. */
const askOne = async (ask: Ask, { listChoices, ...question }: OrderQuestion, hasPrevious: boolean) => {
  const check = (text: string) => (text.trim() === back ? undefined : question.check(text.trim()))
  const asked = { ...question, check }
  if (listChoices === undefined) return (await ask.line(asked))?.trim()
  const choices = listChoices()
  const isBackListed = hasPrevious && choices.some(({ disabled }) => disabled === undefined)
  return (await ask.search({ ...asked, choices: isBackListed ? [...choices, backChoice] : choices }))?.trim()
}

type ProductDraft = Partial<ProductInput>

export type Questions = ReturnType<typeof createQuestions>

/** The wizard asks for at most as many products. */
const maxProducts = 100

/**
 * `given`: the parts that need no question. `generated`: the reference, if another one is not given or typed.
 * `batchObstacle`: the flag that a batch cannot have. Undefined if the order may become a batch.
 */
export const createQuestions = (
  { products, list, wallets: known }: KnownProducts,
  given: OrderParts,
  generated: string,
  batchObstacle: string | undefined,
) => {
  const wallets = createWallets(known, products)
  const order: Order = {
    products: given.productList ?? [],
    wallet: given.wallet ?? wallets.only,
    reference: given.reference ?? generated,
  }

  /** Whether the limits, or a batch, allow another product. */
  const canAddProduct = (): boolean => batchObstacle === undefined || maxQuantity(order.products) > 0
  const findKnown = (wanted: string | undefined) => products.find(({ sku }) => sku === wanted)
  const checkSku = (sku: string): string | undefined => {
    const [problem] = list === undefined || findKnown(sku) ? [] : findProductProblems(list, { sku })
    return checkPart('sku', sku) ?? (problem && `allowed: ${problem.allowed}`)
  }

  /** The last answer adds the product to the order, or replaces the one at this index. */
  const listProduct = (at: number, draft: ProductDraft): OrderQuestion[] => {
    const others = order.products.toSpliced(at, 1)
    const max = maxQuantity(others)
    const known = findKnown(draft.sku)
    const price = known?.price
    const isTaken = (wanted: string): boolean => others.some(({ sku }) => sku === wanted)
    return [
      {
        message: products.length === 0 ? 'Product (type a SKU)' : 'Product',
        initial: draft.sku,
        listChoices: () => products.map((product) => toChoice(product, isTaken(product.sku))),
        check: (text) => (isTaken(text) ? 'already in the order' : checkSku(text)),
        keep: (sku) => {
          if (sku === draft.sku) return
          const found = findKnown(sku)
          Object.assign(draft, { sku, quote: findFixedQuote(found), type: found?.type })
        },
      },
      {
        isNeeded: findFixedQuote(known) === undefined,
        message: price === undefined ? 'Amount of each' : `Amount of each (${formatPrice(price)})`,
        initial: draft.quote ?? known?.lastQuote,
        check: (text) => checkQuote(text, price),
        keep: (text) => Object.assign(draft, { quote: normalizeQuote(text, price) }),
      },
      {
        isNeeded: known === undefined,
        message: 'Product type (fixed, range, …)',
        initial: draft.type ?? 'fixed',
        // : and / separate the parts of --product.
        check: (text) =>
          /[:/]/.test(text) ? 'allowed: a product type without : and /' : checkPart('productType', text),
        keep: (type) => Object.assign(draft, { type }),
      },
      {
        message: formatQuantityMessage(max, batchObstacle === undefined),
        initial: draft.quantity ?? '1',
        check: (text) => checkQuantity(text, max, batchObstacle),
        keep: (quantity) => {
          const product = Object.assign(draft, { quantity }) as ProductInput
          order.products = order.products.toSpliced(at, 1, { ...product })
          wantsMore = false
        },
      },
    ]
  }

  const asksProducts = given.productList === undefined
  /** The user wants another product, which is not in the order yet. */
  let wantsMore = asksProducts
  const drafts: ProductDraft[] = []

  const listProducts = (): OrderQuestion[] => {
    const count = order.products.length
    return Array.from({ length: wantsMore ? count + 1 : count }, (_, at): OrderQuestion[] => {
      drafts[at] ??= { ...order.products[at] }
      const another = {
        isNeeded: at < count && at + 1 < maxProducts && (at + 1 < count || canAddProduct()),
        message: 'Add another product?',
        initial: at + 1 < count ? 'yes' : 'no',
        check: (text: string) => (/^(y(es)?|no?)$/i.test(text) ? undefined : 'allowed: yes or no'),
        keep: (text: string) => {
          wantsMore = /^y/i.test(text)
          if (!wantsMore) order.products = order.products.slice(0, at + 1)
          drafts[at + 1] = { ...order.products[at + 1] }
        },
      }
      return [...listProduct(at, drafts[at]), another]
    }).flat()
  }

  const getWallet = (): OrderQuestion => ({
    message: 'Wallet to pay from',
    initial:
      order.wallet === undefined || wallets.failed.has(order.wallet)
        ? wallets.suggest(order.products)
        : order.wallet,
    listChoices: wallets.list,
    check: (text) => checkPart('wallet', text),
    keep: (wallet) => Object.assign(order, { wallet: normalizeCurrency(wallet) }),
  })

  const getReference = (): OrderQuestion => ({
    message: 'Your reference',
    initial: order.reference,
    check: (text) =>
      needsBatch(order.products) && !isBatchName(text)
        ? `allowed for a batch: ${batchNameForm}`
        : checkPart('reference', text),
    keep: (reference) => Object.assign(order, { reference }),
  })

  return {
    ...{ order, products, wallets },
    /** The questions about the parts that are not given. */
    listMissing: (): OrderQuestion[] => [
      ...(asksProducts ? listProducts() : []),
      { ...getWallet(), isNeeded: given.wallet === undefined && wallets.only === undefined },
      // With products given, a missing reference is generated without a question.
      { ...getReference(), isNeeded: asksProducts && given.reference === undefined },
    ],
    /** The questions up to the wallet, also about parts that are given. */
    listToWallet: (): OrderQuestion[] => [...listProducts(), getWallet()],
    /** All questions, for a user who goes back from the complete order. */
    listAll: (): OrderQuestion[] => [...listProducts(), getWallet(), getReference()],
  }
}

/** The amount of a product with one price. */
const findFixedQuote = ({ price }: Partial<KnownProduct> = {}): string | undefined =>
  price?.most.eq(price.least) ? formatDecimal(price.least) : undefined

const formatQuantityMessage = (max: number, hasBatch: boolean): string => {
  if (!hasBatch) return `Quantity (1 to ${max})`
  return max > 0 ? `Quantity (1 to ${max}, or more as a batch)` : 'Quantity (as a batch)'
}

const toChoice = ({ sku, name, price }: KnownProduct, isTaken: boolean): Choice => ({
  value: sku,
  // The name comes last: right-to-left text would reorder a price after it.
  name: [sku, price && formatPrice(price), name]
    .filter((each) => each !== undefined)
    .map(sanitize)
    .join('  '),
  disabled: isTaken ? 'already in the order' : undefined,
})

export const findCurrency = (wanted: string, products: readonly KnownProduct[]): string | undefined =>
  products.find(({ sku }) => sku === wanted)?.price?.currency

/** The wallets to offer. The likeliest of the known wallets comes first. */
export const createWallets = (known: readonly string[], products: readonly KnownProduct[]) => {
  /** Wallets that had too little money. */
  const failed = new Set<string>()
  return {
    /** The only wallet that is known. */
    only: known.length === 1 ? known[0] : undefined,
    failed,
    /** The wallet in the currency of all these products, or the likeliest one. */
    suggest: (ordered: readonly ProductInput[]): string | undefined => {
      const [currency, ...others] = new Set(ordered.map(({ sku }) => findCurrency(sku, products)))
      const usable = known.filter((wallet) => !failed.has(wallet))
      const isUsable = currency !== undefined && others.length === 0 && !failed.has(currency)
      return isUsable && (known.length === 0 || usable.includes(currency)) ? currency : usable[0]
    },
    list: (): Choice[] => [
      ...known.filter((wallet) => !failed.has(wallet)).map((value) => ({ value, name: sanitize(value) })),
      ...[...failed].map((value) => ({ value, name: `${sanitize(value)}  had too little money` })),
    ],
  }
}
