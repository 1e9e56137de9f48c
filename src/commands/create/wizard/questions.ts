// The questions about an order: its products, its wallet and its reference.
import type { Ask, Choice } from '../../../ui/prompts/asking.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { batchNameForm, isBatchName } from '../../shared/batch-name-rule.ts'
import type { KnownProduct } from '../../shared/products/known-products.ts'
import type { Product } from './order.ts'
import { checkPart, maxQuantity, needsBatch, type Order } from './order.ts'
import { createProductSteps, type Draft } from './product.ts'
import {
  type Arrival,
  allowBack,
  allowBackInList,
  type Step,
  type StepResult,
  takeAnswer,
  walk,
} from './steps.ts'

export type Questions = ReturnType<typeof createQuestions>

type Offer = {
  readonly products: readonly KnownProduct[]
  readonly wallets: Wallets
  /** The flag that a batch cannot have. Undefined if the order may become a batch. */
  readonly batchObstacle: string | undefined
}

export const createQuestions = (order: Order, { products, wallets, batchObstacle }: Offer, ask: Ask) => ({
  /** Whether the limits, or a batch, allow another product. */
  canAddProduct: (): boolean => batchObstacle === undefined || maxQuantity(order.products) > 0,
  /** Adds a product, or replaces the one at this index. */
  askProduct: async (at: number, arrival: Arrival, asksAll = false): Promise<StepResult> => {
    const draft: Draft = { ...order.products[at] }
    const others = order.products.toSpliced(at, 1)
    const steps = createProductSteps(draft, others, { products, batchObstacle, asksAll }, ask)
    const result = await walk(steps, arrival)
    if (result === 'on') order.products = order.products.toSpliced(at, 1, draft as Product)
    return result
  },
  askWallet: async (arrival: Arrival): Promise<StepResult> => {
    const isUsable = order.wallet !== undefined && !wallets.hasFailed(order.wallet)
    const question = {
      message: 'Wallet to pay from',
      initial: isUsable ? order.wallet : wallets.suggest(order.products),
      choices: wallets.list(),
      check: (text: string) => checkPart('wallet', text),
    }
    return takeAnswer(await ask.search(allowBackInList(question, arrival)), (text) => {
      order.wallet = text
    })
  },
  askReference: async (): Promise<StepResult> => {
    const question = {
      message: 'Your reference',
      initial: order.reference,
      check: (text: string) =>
        needsBatch(order.products) && !isBatchName(text)
          ? `allowed for a batch: ${batchNameForm}`
          : checkPart('reference', text),
    }
    return takeAnswer(await ask.line(allowBack(question)), (text) => {
      order.reference = text
    })
  },
})

/** The wizard asks for at most as many products. */
const maxProducts = 100

export const createProductsSteps = (
  order: Order,
  { askProduct, canAddProduct }: Questions,
  ask: Ask,
): readonly Step[] => {
  /** The user wants another product, which is not in the order yet. */
  let wantsMore = false
  const askAnother = async (at: number): Promise<StepResult> => {
    const question = {
      message: 'Add another product?',
      initial: at + 1 < order.products.length ? 'yes' : 'no',
      check: (text: string) => (/^(y(es)?|no?)$/i.test(text) ? undefined : 'allowed: yes or no'),
    }
    return takeAnswer(await ask.line(allowBack(question)), (text) => {
      wantsMore = /^y/i.test(text)
      if (!wantsMore) order.products = order.products.slice(0, at + 1)
    })
  }
  const hasProduct = (at: number): boolean => at < order.products.length
  return Array.from({ length: maxProducts }, (_, at) => at).flatMap((at) => [
    {
      isNeeded: () => hasProduct(at) || (at === order.products.length && (at === 0 || wantsMore)),
      ask: async (arrival) => {
        const result = await askProduct(at, arrival)
        if (result === 'on') wantsMore = false
        return result
      },
    },
    {
      isNeeded: () => hasProduct(at) && at + 1 < maxProducts && (hasProduct(at + 1) || canAddProduct()),
      ask: () => askAnother(at),
    },
  ])
}

type Wallets = ReturnType<typeof createWallets>

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
