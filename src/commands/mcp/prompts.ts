// The prompts that an assistant offers to its user.
import type { Arguments } from './tools.ts'

type Prompt = {
  readonly name: string
  readonly title: string
  /** What each argument is. */
  readonly asks: Readonly<Record<string, string>>
  readonly write: (given: Arguments) => string
}

export const prompts: readonly Prompt[] = [
  {
    name: 'answer_ticket',
    title: 'Answer a ticket about an order',
    asks: { order: 'an order id, or ref:REFERENCE', question: 'what the customer asks' },
    write: ({ order, question }) =>
      `A customer asks about the order ${order}:\n\n${question}\n\n` +
      'Call explain_order for it. If the customer means one card and knows only the end of its code, call find_order. ' +
      'Then write an answer of at most six sentences: what happened, what it cost, what the customer can do next. ' +
      'Never ask for a whole code, a PIN or a link, and never guess one.',
  },
  {
    name: 'prepare_purchase',
    title: 'Prepare a purchase from this table',
    asks: { table: 'the rows: product, amount, number of cards', wallet: 'the currency of the wallet' },
    write: ({ table, wallet }) =>
      `Prepare a purchase from the wallet ${wallet}, from this table:\n\n${table}\n\n` +
      'Call list_products to find the SKU of each row, and ask if one is unclear. ' +
      'If the rows fit into one order, call check_order, and then create_order if you have it. ' +
      'Otherwise call plan_batch. Show the total and the command for the person who decides. You cannot buy anything.',
  },
]
