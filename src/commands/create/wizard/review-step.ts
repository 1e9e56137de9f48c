// Shows the order until the user places or cancels it. The user can change every part of it.
import { type Ask, back } from '../../../ui/prompts/asking.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { batchNameForm, isBatchName } from '../../shared/batch-name-rule.ts'
import type { KnownProduct } from '../../shared/products/known-products.ts'
import type { Order } from './order.ts'
import { needsBatch } from './order-size.ts'
import type { Questions } from './questions.ts'
import { type ReviewView, renderReview } from './review.ts'
import { type Arrival, addBack, type StepResult } from './steps.ts'

export type ReviewTerminal = {
  readonly ask: Ask
  say(text: string): void
  view(): ReviewView
  /** What Enter does, such as 'place the order'. */
  describePlacing(isBatch: boolean): string
}

const arrival: Arrival = { direction: 'on', hasPrevious: true }

/** Returns whether to place the order. */
export const reviewOrder = async (
  order: Order,
  products: readonly KnownProduct[],
  questions: Questions,
  { ask, say, view, describePlacing }: ReviewTerminal,
): Promise<boolean> => {
  for (;;) {
    say(renderReview(order, products, view()))
    const isBatch = needsBatch(order.products)
    const next = await ask.key<'place' | 'edit' | 'cancel'>([
      { value: 'place', key: 'Enter', purpose: describePlacing(isBatch) },
      { value: 'edit', key: 'e', alias: back, purpose: 'change it' },
      { value: 'cancel', key: 'Esc', purpose: 'cancel' },
    ])
    if (next === undefined || next === 'cancel') return false
    if (next === 'edit') {
      if ((await editOrder(order, questions, ask)) === 'left') return false
    } else if (isBatch && !isBatchName(order.reference)) {
      say(`The reference becomes the name of the batch. Allowed: ${batchNameForm}\n`)
      if ((await questions.askReference()) === 'left') return false
    } else return true
  }
}

const editOrder = async (order: Order, questions: Questions, ask: Ask): Promise<StepResult> => {
  const { askProduct, askWallet, askReference, canAddProduct } = questions
  const hasSeveral = order.products.length > 1
  const askWhich = async (message: string): Promise<number | 'back' | 'left'> => {
    const choices = order.products.map(({ sku }, value) => ({ value, name: sanitize(sku) }))
    const at = await ask.choose(message, addBack(choices))
    return at === undefined ? 'left' : at === back ? 'back' : at
  }
  const change = async (): Promise<StepResult> => {
    const at = hasSeveral ? await askWhich('Which product do you want to change?') : 0
    return typeof at === 'number' ? askProduct(at, arrival, true) : at
  }
  const remove = async (): Promise<StepResult> => {
    const at = await askWhich('Which product do you want to remove?')
    if (typeof at !== 'number') return at
    order.products = order.products.toSpliced(at, 1)
    return 'on'
  }
  const chosen = await ask.choose(
    'What do you want to change?',
    addBack<() => Promise<StepResult>>([
      { value: change, name: hasSeveral ? 'change a product' : 'change the product' },
      ...(canAddProduct()
        ? [{ value: () => askProduct(order.products.length, arrival), name: 'add a product' }]
        : []),
      ...(hasSeveral ? [{ value: remove, name: 'remove a product' }] : []),
      { value: () => askWallet(arrival), name: 'change the wallet' },
      { value: askReference, name: 'change the reference' },
    ]),
  )
  return chosen === undefined ? 'left' : chosen === back ? 'back' : chosen()
}
