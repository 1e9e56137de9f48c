// The tools of an assistant: their arguments and results, and the command line that each of them runs. Also the documents
// and prompts.
import * as z from 'zod/mini'
import { strictRequest } from '../../contract/order-request.ts'
import { assistantPrefix } from '../../contract/order-words.ts'
import { reportKeys } from '../../contract/report/report.ts'
import { createViolation, type Violation } from '../../contract/violations.ts'
import type { Line, Source } from './run-line.ts'

export type Arguments = Readonly<Record<string, unknown>>

export type Tool = {
  readonly name: string
  readonly description: string
  /** Describes the arguments. */
  readonly input: z.ZodMiniType
  /** Replaces the check by `input`: the command checks an order itself, and names every violation. */
  readonly check?: (given: Arguments) => readonly Violation[]
  /** Describes the document. */
  readonly output: z.ZodMiniType
  /** Where the document comes from. */
  readonly source: Source
  /** It adds to the journal. Undefined for a tool that only reads. */
  readonly adds?: true
  /** Undefined for the products, which no command prints. */
  readonly line?: (given: Arguments) => Line
}

const text = (allowed: string, pattern = /^.{1,200}$/u) =>
  z.string({ error: allowed }).check(z.regex(pattern, { error: allowed }), z.describe(allowed))

const number = (most: number, allowed: string) => {
  const error = { error: allowed }
  return z.int(error).check(z.minimum(1, error), z.maximum(most, error), z.describe(allowed))
}

const createArguments = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, { error: `the arguments ${Object.keys(shape).join(', ')}` })

const order = text('an order id, or ref:REFERENCE', /^(?!@|batch:)\S.{0,199}$/u)
const since = z.optional(text('the first day: 2026-11-01, or an age such as 30d'))
const nullable = z.nullable(z.string())

/** Without a webhook, to which the service would deliver the codes. */
const orderArguments = z.omit(strictRequest, { webhookUrl: true })
const refuseWebhook = (given: Arguments): Violation[] =>
  'webhookUrl' in given ? [createViolation(given, ['webhookUrl'], 'none in an order of an assistant')] : []

const entry = z.looseObject({
  ...{ id: nullable, reference: nullable, state: z.string(), standing: z.string() },
  ...{ wallet: nullable, placedAt: nullable, expiresAt: nullable, placedWith: nullable },
})

const listOrders: Tool = {
  name: 'list_orders',
  description: 'List the orders in the journal, the newest first. Does not call the service.',
  input: createArguments({
    state: z.optional(text('a state such as created, confirmed, successful, failed or unknown')),
    since,
    reference: z.optional(text('only orders with this reference')),
    batch: z.optional(text('only orders of this batch: its name or id')),
    unfinished: z.optional(z.boolean({ error: 'true or false' })),
    limit: z.optional(number(100, 'the maximum number of orders, from 1 to 100')),
  }),
  output: z.array(entry),
  source: 'journal',
  line: (flags) => ({ command: 'list', flags }),
}

const getOrder: Tool = {
  name: 'get_order',
  description: 'Ask the service for an order: state, products, invoice, times. Codes are masked.',
  input: createArguments({ order }),
  output: z.looseObject({ uid: z.string(), state: z.string(), reference: z.string() }),
  source: 'service',
  line: (given) => ({ command: 'get', args: [String(given.order)] }),
}

const explainOrder: Tool = {
  name: 'explain_order',
  description:
    'What happened to an order, for a ticket: its cost, who placed it, who saw its codes, its calls and cards.',
  input: createArguments({ order, card: z.optional(number(100_000, 'the number of one card')) }),
  output: z.looseObject({ id: z.string(), state: z.string() }),
  source: 'service',
  line: ({ order, card }) => ({ command: 'get', flags: { explain: true, card }, args: [String(order)] }),
}

const report: Tool = {
  name: 'report',
  description: 'What confirmed orders cost, by month, person, product and so on. Reads only the journal.',
  input: createArguments({
    since: z.optional(text('the first day: 2026-11-01, 2026-11 or 30d')),
    until: z.optional(text('the last day: 2026-11-30, 2026-11 or 7d')),
    by: z.optional(z.array(z.enum(reportKeys, { error: `one of ${reportKeys.join(', ')}` }))),
  }),
  output: z.looseObject({ rows: z.array(z.unknown()) }),
  source: 'journal',
  line: (flags) => ({ command: 'report', flags }),
}

const findOrder: Tool = {
  name: 'find_order',
  description:
    'Find the order of a card by the last four characters of its code, PIN or serial number, as a masked code ' +
    'shows them. Never ask for a whole code. The journal records the search.',
  input: createArguments({ last_four: text('the last four letters or digits', /^[\p{L}\p{N}]{4}$/u), since }),
  output: z.looseObject({ matches: z.array(z.looseObject({ id: z.string(), card: z.number() })) }),
  source: 'service',
  line: ({ last_four, since }) => ({ command: 'find', flags: { 'last-four': last_four, since } }),
}

const checkOrder: Tool = {
  name: 'check_order',
  description: 'Check an order without placing it. Shows every violation. Sends nothing.',
  input: orderArguments,
  check: refuseWebhook,
  output: z.looseObject({ wallet: z.string(), reference: z.string() }),
  source: 'journal',
  line: (input) => ({ command: 'create', flags: { 'dry-run': true }, args: ['-'], input }),
}

export const planBatch: Tool = {
  name: 'plan_batch',
  description:
    'Pack the rows of a table into the fewest orders, and save the plan. Sends nothing, buys nothing. ' +
    `The name gets the prefix ${assistantPrefix}. It never replaces another plan.`,
  input: createArguments({
    name: text('a name for the batch, such as march-rewards', /^[\p{L}\p{N}][^/]{0,49}$/u),
    wallet: z.optional(text('the wallet to pay from, a currency code', /^[A-Za-z0-9]{2,12}$/)),
    rows: z
      .array(z.looseObject({}, { error: 'a row' }), { error: 'a list of rows' })
      .check(
        z.maxLength(1_000, { error: 'at most 1000 rows' }),
        z.describe('Such as {"sku": "GAME-US", "quote": 25, "quantity": 2}, with more columns of your own.'),
      ),
  }),
  output: z.looseObject({ id: z.string(), name: z.string(), state: z.string() }),
  source: 'journal',
  adds: true,
  line: ({ name, wallet, rows: input }) => ({
    command: 'batch plan',
    flags: { name: `${assistantPrefix}${name}`, wallet },
    args: ['-'],
    input,
  }),
}

const listProducts: Tool = {
  name: 'list_products',
  description:
    'The products and wallets that are known of the account, from its product file and earlier orders. ' +
    'There may be others.',
  input: createArguments({}),
  output: z.looseObject({
    products: z.array(z.looseObject({ sku: z.string(), type: z.string() })),
    wallets: z.array(z.string()),
  }),
  source: 'journal',
}

export const createOrder = {
  name: 'create_order',
  description:
    'Place an order, unconfirmed: it costs nothing, and expires unless a person confirms it in a terminal. Returns ' +
    'its invoice, its expiry and the command for that person. With the reference of an earlier order, returns that order.',
  input: orderArguments,
  check: refuseWebhook,
  output: entry,
  source: 'service',
  adds: true,
  line: (input: Arguments) => ({ command: 'create', flags: { idempotent: true }, args: ['-'], input }),
} satisfies Tool

/** The tools without --allow. */
export const readTools: readonly Tool[] = [
  ...[listOrders, getOrder, explainOrder, findOrder, report, listProducts, checkOrder, planBatch],
]

const showBatch: Tool = {
  name: 'show_batch',
  description: 'The state of a batch in the journal.',
  input: createArguments({ batch: text('the name of a batch', /^[^@].{0,199}$/u) }),
  output: z.looseObject({ id: z.string(), name: z.string(), state: z.string() }),
  source: 'journal',
  line: ({ batch }) => ({ command: 'batch show', args: [String(batch)] }),
}

/** The documents at `orderctl://KIND/NAME`. */
export const resources: readonly (readonly [string, string, Tool, (name: string) => Arguments])[] = [
  ['orders', 'An order', getOrder, (order) => ({ order })],
  ['batches', 'A batch', showBatch, (batch) => ({ batch })],
  ['reports', 'The report of a month such as 2026-11', report, (month) => ({ since: month, until: month })],
]

/** The prompts that an assistant offers to its user. `asks` says what each argument is. */
export const prompts = [
  {
    name: 'answer_ticket',
    title: 'Answer a ticket about an order',
    asks: { order: 'an order id, or ref:REFERENCE', question: 'what the customer asks' },
    write: ({ order, question }: Arguments) =>
      `A customer asks about the order ${order}:\n\n${question}\n\n` +
      'Call explain_order for it. If the customer means one card and knows only the end of its code, call find_order. ' +
      'Then write an answer of at most six sentences: what happened, what it cost, what the customer can do next. ' +
      'Never ask for a whole code, a PIN or a link, and never guess one.',
  },
  {
    name: 'prepare_purchase',
    title: 'Prepare a purchase from this table',
    asks: { table: 'the rows: product, amount, number of cards', wallet: 'the currency of the wallet' },
    write: ({ table, wallet }: Arguments) =>
      `Prepare a purchase from the wallet ${wallet}, from this table:\n\n${table}\n\n` +
      'Call list_products to find the SKU of each row, and ask if one is unclear. ' +
      'If the rows fit into one order, call check_order, and then create_order if you have it. ' +
      'Otherwise call plan_batch. Show the total and the command for the person who decides. You cannot buy anything.',
  },
]
