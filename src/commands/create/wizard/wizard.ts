// Asks for the missing parts of an order, and shows the order before it is placed. The answers are equivalent to flags.
import type { KnownProducts } from '../../shared/products/known-products.ts'
import type { Order, Product } from './order.ts'
import { createProductsSteps, createQuestions, createWallets } from './questions.ts'
import { type ReviewTerminal, reviewOrder } from './review.ts'
import { type Step, walk } from './steps.ts'

/** The wizard asks for undefined parts. */
export type Given = {
  readonly products: readonly Product[] | undefined
  readonly wallet: string | undefined
  readonly reference: string | undefined
}

export type Known = KnownProducts & {
  /** A generated, unused reference. */
  readonly reference: string
  /** The flag that a batch cannot have. Undefined if the order may become a batch. */
  readonly batchObstacle: string | undefined
}

export type Wizard = {
  /** The answers so far. */
  readonly order: Readonly<Order>
  /** Asks every unread question. Returns whether to place the order. */
  askAll(): Promise<boolean>
  /** Shows the order again. If its wallet has too little money, asks for another one first. */
  askAgain(hasTooLittleMoney: boolean): Promise<boolean>
}

export const createWizard = (given: Given, known: Known, terminal: ReviewTerminal): Wizard => {
  const wallets = createWallets(known.wallets, known.products)
  const order: Order = {
    products: given.products ?? [],
    wallet: given.wallet ?? wallets.only,
    reference: given.reference ?? known.reference,
  }
  const { ask } = terminal
  const questions = createQuestions(order, { ...known, wallets }, ask)
  const steps: readonly Step[] = [
    ...(given.products === undefined ? createProductsSteps(order, questions, ask) : []),
    { isNeeded: () => given.wallet === undefined && wallets.only === undefined, ask: questions.askWallet },
    {
      // With products given, a missing reference is generated without a question.
      isNeeded: () => given.products === undefined && given.reference === undefined,
      ask: questions.askReference,
    },
  ]
  const review = (): Promise<boolean> => reviewOrder(order, known.products, questions, terminal)
  return {
    order,
    askAll: async () => {
      let result = await walk(steps, { direction: 'on', hasPrevious: false })
      while (result === 'back') {
        terminal.say('This is the first question. Press Ctrl-C to cancel.\n')
        result = await walk(steps, { direction: 'on', hasPrevious: false })
      }
      return result === 'on' && review()
    },
    askAgain: async (hasTooLittleMoney) => {
      if (hasTooLittleMoney && order.wallet !== undefined) {
        wallets.addFailed(order.wallet)
        if ((await questions.askWallet({ direction: 'on', hasPrevious: true })) === 'left') return false
      }
      return review()
    },
  }
}
