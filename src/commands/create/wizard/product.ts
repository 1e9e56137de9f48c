// The questions about one product: SKU, amount, type, quantity.
import { formatDecimal } from '../../../contract/decimal.ts'
import type { Ask } from '../../../ui/prompts/asking.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { formatPrice } from '../../shared/products/check-product.ts'
import type { KnownProduct } from '../../shared/products/known-products.ts'
import {
  checkPart,
  checkQuantity,
  checkQuote,
  checkType,
  maxQuantity,
  normalizeQuote,
  type Product,
} from './order.ts'
import { allowBack, allowBackInList, type Step, takeAnswer } from './steps.ts'

export type Draft = { -readonly [Part in keyof Product]?: Product[Part] }

type Offer = {
  readonly products: readonly KnownProduct[]
  /** The flag that a batch cannot have. Undefined if the order may become a batch. */
  readonly batchObstacle: string | undefined
  /** Also asks for what has one answer, so that it can be changed. */
  readonly asksAll: boolean
}

export const createProductSteps = (
  draft: Draft,
  others: readonly Product[],
  { products, batchObstacle, asksAll }: Offer,
  ask: Ask,
): readonly Step[] => {
  const isTaken = (sku: string): boolean => others.some((other) => other.sku === sku)
  const findKnown = (): KnownProduct | undefined => products.find(({ sku }) => sku === draft.sku)
  const findPrice = () => findKnown()?.price
  const findFixedQuote = (): string | undefined => {
    const { least, most } = findPrice() ?? {}
    return least !== undefined && most?.eq(least) ? formatDecimal(least) : undefined
  }
  const choices = listChoices(products, isTaken)
  const setSku = (sku: string): void => {
    if (sku === draft.sku) return
    draft.sku = sku
    const fixedQuote = findFixedQuote()
    if (fixedQuote === undefined) delete draft.quote
    else draft.quote = fixedQuote
    draft.type = findKnown()?.type
  }
  return [
    {
      ask: async (arrival) => {
        const question = {
          message: choices.length === 0 ? 'Product (type a SKU)' : 'Product',
          initial: draft.sku,
          choices,
          check: (text: string) => (isTaken(text) ? 'already in the order' : checkPart('sku', text)),
        }
        return takeAnswer(await ask.search(allowBackInList(question, arrival)), setSku)
      },
    },
    {
      isNeeded: () => asksAll || findFixedQuote() === undefined,
      ask: async () => {
        const allowed = findPrice()
        const question = {
          message: allowed === undefined ? 'Amount of each' : `Amount of each (${formatPrice(allowed)})`,
          initial: draft.quote ?? findKnown()?.lastQuote,
          check: (text: string) => checkQuote(text, allowed),
        }
        return takeAnswer(await ask.line(allowBack(question)), (text) => {
          draft.quote = normalizeQuote(text, allowed)
        })
      },
    },
    {
      isNeeded: () => findKnown() === undefined,
      ask: async () => {
        const question = {
          message: 'Product type (fixed, range, …)',
          initial: draft.type ?? 'fixed',
          check: checkType,
        }
        return takeAnswer(await ask.line(allowBack(question)), (text) => {
          draft.type = text
        })
      },
    },
    {
      ask: async () => {
        const max = maxQuantity(others)
        const question = {
          message: formatQuantityMessage(max, batchObstacle === undefined),
          initial: draft.quantity ?? '1',
          check: (text: string) => checkQuantity(text, max, batchObstacle),
        }
        return takeAnswer(await ask.line(allowBack(question)), (text) => {
          draft.quantity = text
        })
      },
    },
  ]
}

const formatQuantityMessage = (max: number, hasBatch: boolean): string => {
  if (!hasBatch) return `Quantity (1 to ${max})`
  return max > 0 ? `Quantity (1 to ${max}, or more as a batch)` : 'Quantity (as a batch)'
}

const listChoices = (products: readonly KnownProduct[], isTaken: (sku: string) => boolean) =>
  products.map(({ sku, name, price }) => ({
    value: sku,
    // The name comes last: right-to-left text would reorder a price after it.
    name: [sku, price && formatPrice(price), name]
      .filter((each) => each !== undefined)
      .map(sanitize)
      .join('  '),
    disabled: isTaken(sku) ? 'already in the order' : undefined,
  }))
