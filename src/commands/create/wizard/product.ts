// The questions about one product of an order: which, for how much each, how many.
import { formatDecimal } from '../../../contract/decimal.ts'
import type { Ask } from '../../../ui/prompts/asking.ts'
import { safeText } from '../../../ui/terminal/safe-text.ts'
import {
  type Price,
  priceText,
  problemOf,
  quantityProblem,
  quoteProblem,
  roomBeside,
  typeProblem,
} from './checks.ts'
import { listOrBack, orBack, type Step, taken } from './steps.ts'

/** As --product has it. */
export type Product = {
  readonly sku: string
  readonly quote: string
  readonly quantity: string
  readonly type: string | undefined
}

export type KnownProduct = {
  readonly sku: string
  readonly name?: string
  readonly type: string
  /** What the service allows. */
  readonly price?: Price
  /** What it was ordered for last. */
  readonly lastQuote?: string
}

export type Draft = { -readonly [Part in keyof Product]?: Product[Part] }

export const productSteps = (
  draft: Draft,
  others: readonly Product[],
  products: readonly KnownProduct[],
  ask: Ask,
): readonly Step[] => {
  const isTaken = (sku: string): boolean => others.some((other) => other.sku === sku)
  const known = (): KnownProduct | undefined => products.find(({ sku }) => sku === draft.sku)
  const price = () => known()?.price
  const usualQuote = (): string | undefined => {
    const { least, most } = price() ?? {}
    return least !== undefined && most?.eq(least) ? formatDecimal(least) : known()?.lastQuote
  }
  const choices = products.map(({ sku, name, price }) => ({
    value: sku,
    // The name last: where it is written from the right, it would turn a price around.
    name: [sku, price && priceText(price), name]
      .filter((each) => each !== undefined)
      .map(safeText)
      .join('  '),
    unfit: isTaken(sku) ? 'in the order' : undefined,
  }))
  const chooseSku = (sku: string): void => {
    if (sku === draft.sku) return
    draft.sku = sku
    delete draft.quote
    draft.type = known()?.type
  }
  return [
    {
      ask: async (way) => {
        const question = {
          message: 'Product',
          initial: draft.sku,
          choices,
          check: (text: string) => (isTaken(text) ? 'in the order' : problemOf('sku', text)),
        }
        return taken(await ask.search(listOrBack(question, way)), chooseSku)
      },
    },
    {
      ask: async () => {
        const allowed = price()
        const question = {
          message: allowed === undefined ? 'Amount of each' : `Amount of each, ${priceText(allowed)}`,
          initial: draft.quote ?? usualQuote(),
          check: (text: string) => quoteProblem(text, allowed),
        }
        return taken(await ask.line(orBack(question)), (text) => {
          draft.quote = text
        })
      },
    },
    {
      isNeeded: () => known() === undefined,
      ask: async () => {
        const question = {
          message: 'Type of the product, as the service has it: fixed, range …',
          initial: draft.type ?? 'fixed',
          check: typeProblem,
        }
        return taken(await ask.line(orBack(question)), (text) => {
          draft.type = text
        })
      },
    },
    {
      ask: async () => {
        const room = roomBeside(others)
        const question = {
          message: `How many, 1 to ${room}`,
          initial: draft.quantity ?? '1',
          check: (text: string) => quantityProblem(text, room),
        }
        return taken(await ask.line(orBack(question)), (text) => {
          draft.quantity = text
        })
      },
    },
  ]
}
