// Asks for the missing parts of an order, and shows the order before it is placed. The answers are equivalent to flags.
import { limits } from '../../../contract/limits.ts'
import { type Ask, back } from '../../../ui/prompts/asking.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import type { View } from '../../../ui/terminal/view.ts'
import { checkPart, maxQuantity } from './checks.ts'
import { createProductSteps, type Draft, type KnownProduct, type Product } from './product.ts'
import { type Order, renderReview } from './review.ts'
import {
  type Arrival,
  addBack,
  allowBack,
  allowBackInList,
  type Step,
  type StepResult,
  takeAnswer,
  walk,
} from './steps.ts'

/** The wizard asks for undefined parts. */
export type Given = {
  readonly products: readonly Product[] | undefined
  readonly wallet: string | undefined
  readonly reference: string | undefined
}

export type Known = {
  readonly products: readonly KnownProduct[]
  /** The likeliest comes first. */
  readonly wallets: readonly string[]
  /** A generated, unused reference. */
  readonly reference: string
}

type Terminal = {
  readonly ask: Ask
  say(text: string): void
  view(): View
  /** The name of the choice that places the order. */
  readonly placing: string
}

export type Wizard = {
  /** The answers so far. */
  readonly order: Readonly<Order>
  /** Asks every unanswered question, or only the last one. Returns whether to place the order. */
  questions(from: 'first' | 'last'): Promise<boolean>
}

export const createWizard = (given: Given, known: Known, terminal: Terminal): Wizard => {
  const order: Order = {
    products: given.products ?? [],
    wallet: given.wallet,
    reference: given.reference ?? known.reference,
  }
  const questions = createQuestions(order, known, terminal.ask)
  const steps: readonly Step[] = [
    ...(given.products === undefined ? createProductsSteps(order, questions) : []),
    { isNeeded: () => given.wallet === undefined, ask: questions.askWallet },
    {
      // With products given, a missing reference is generated without a question.
      isNeeded: () => given.products === undefined && given.reference === undefined,
      ask: questions.askReference,
    },
    { ask: () => review(order, questions, terminal) },
  ]
  return {
    order,
    questions: async (from) => {
      let result = await walk(steps, { direction: from === 'first' ? 'on' : 'back', hasPrevious: false })
      while (result === 'back') {
        terminal.say('This is the first question. Press Ctrl-C to cancel.\n')
        result = await walk(steps, { direction: 'on', hasPrevious: false })
      }
      return result === 'on'
    },
  }
}

type Questions = ReturnType<typeof createQuestions>

const createQuestions = (order: Order, known: Known, ask: Ask) => ({
  ask,
  /** Adds a product, or replaces the one at this index. */
  askProduct: async (at: number, arrival: Arrival): Promise<StepResult> => {
    const draft: Draft = { ...order.products[at] }
    const others = order.products.toSpliced(at, 1)
    const result = await walk(createProductSteps(draft, others, known.products, ask), arrival)
    if (result === 'on') order.products = order.products.toSpliced(at, 1, draft as Product)
    return result
  },
  askWallet: async (arrival: Arrival): Promise<StepResult> => {
    const question = {
      message: 'Wallet to pay from',
      initial: order.wallet,
      choices: known.wallets.map((value) => ({ value, name: value })),
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
      check: (text: string) => checkPart('reference', text),
    }
    return takeAnswer(await ask.line(allowBack(question)), (text) => {
      order.reference = text
    })
  },
})

const createProductsSteps = (order: Order, { ask, askProduct }: Questions): readonly Step[] => {
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
  return Array.from({ length: limits.skusPerOrder }, (_, at) => at).flatMap((at) => [
    {
      isNeeded: () => hasProduct(at) || (at === order.products.length && (at === 0 || wantsMore)),
      ask: async (arrival) => {
        const result = await askProduct(at, arrival)
        if (result === 'on') wantsMore = false
        return result
      },
    },
    {
      isNeeded: () => hasProduct(at) && (hasProduct(at + 1) || maxQuantity(order.products) > 0),
      ask: () => askAnother(at),
    },
  ])
}

const review = async (order: Order, questions: Questions, terminal: Terminal): Promise<StepResult> => {
  const { ask, askProduct, askWallet, askReference } = questions
  const arrival: Arrival = { direction: 'on', hasPrevious: true }
  const askWhich = async (message: string): Promise<number | 'back' | 'left'> => {
    const choices = order.products.map(({ sku }, value) => ({ value, name: sanitize(sku) }))
    const at = await ask.choose(message, addBack(choices))
    return at === undefined ? 'left' : at === back ? 'back' : at
  }
  const edit = async (): Promise<StepResult> => {
    const at = order.products.length === 1 ? 0 : await askWhich('Which product do you want to change?')
    return typeof at === 'number' ? askProduct(at, arrival) : at
  }
  const remove = async (): Promise<StepResult> => {
    const at = await askWhich('Which product do you want to remove?')
    if (typeof at !== 'number') return at
    order.products = order.products.toSpliced(at, 1)
    return 'on'
  }
  for (;;) {
    terminal.say(renderReview(order, terminal.view()))
    const canAdd = maxQuantity(order.products) > 0
    const chosen = await ask.choose(
      'What next?',
      addBack<'place' | (() => Promise<StepResult>)>([
        { value: 'place', name: terminal.placing },
        ...(canAdd
          ? [{ value: () => askProduct(order.products.length, arrival), name: 'add a product' }]
          : []),
        { value: edit, name: 'change a product' },
        ...(order.products.length > 1 ? [{ value: remove, name: 'remove a product' }] : []),
        { value: () => askWallet(arrival), name: 'change the wallet' },
        { value: askReference, name: 'change the reference' },
        { value: async () => 'left', name: 'cancel, and send nothing' },
      ]),
    )
    if (chosen === 'place') return 'on'
    if (chosen === back) return 'back'
    if (chosen === undefined || (await chosen()) === 'left') return 'left'
  }
}
