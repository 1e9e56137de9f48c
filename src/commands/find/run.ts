// The steps of `orderctl find`: account → value → orders of the journal → search → recorded and printed.

import { noteHidden } from '../../app/listed-orders.ts'
import { type CommandSession, openSession } from '../../app/open-session.ts'
import { outputFor, revealOrders } from '../../app/output/output.ts'
import { describeOrders } from '../../app/output/show-order.ts'
import { readInput } from '../../app/read-input.ts'
import { canPrompt } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import type { Order } from '../../contract/schemas.ts'
import { dayMs, formatUtcDay } from '../../contract/time.ts'
import { exitCodes, Failure, interruption } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { getOrder } from '../../journal/orders/entries.ts'
import { listDelivered, listOrderReveals } from '../../journal/orders/list-orders.ts'
import { listCardOrders } from '../../journal/orders/seen-cards.ts'
import { createPace } from '../../operations/pace.ts'
import { readInParallel } from '../../operations/parallel.ts'
import {
  createEndMatcher,
  createMatcher,
  type FoundOrder,
  type Matcher,
  type Search,
  searchOrders,
} from '../../operations/search-orders.ts'
import { maskOrder, maskSecret } from '../../ui/masking/mask-response.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { listNames, readFields } from '../../ui/text/result-fields.ts'
import {
  type DescribedOrder,
  listSearchWarnings,
  renderFound,
  renderSearched,
  type Searched,
  searchFields,
} from './screen.ts'
import type { FindOptions } from './spec.ts'

const maxParallel = 8
const defaultAgeMs = 90 * dayMs

/** Returns the exit code. */
export const find = async (context: Context, options: FindOptions): Promise<number> => {
  if (options.lastFour === undefined && context.stdin.isTerminal && !canPrompt(context, options))
    throw fail('find reads the code from a prompt, and cannot prompt here')
  const { clock, random, interrupted } = context
  const since = options.since?.from ?? clock.now() - defaultAgeMs
  const pace = createPace({ max: maxParallel, clock, random })
  await using session = await openSession(context, options, undefined, pace.observe)
  const matcher = await readMatcher(context, options)
  const journal = await session.journals.openExisting()
  const orders = await listDelivered(journal.read, session.owner.account, since)
  const total = orders.length
  const findsAll = options.all || matcher.isShort
  let progress = `0 of ${total} orders`
  const { end } = session.waiting.begin(() => `searching: ${progress}`)
  const onProgress = (search: Search): void => {
    progress = describeProgress(search, total)
  }
  const search = await searchOrders({ ...session, pace, onProgress }, orders, {
    matcher,
    findsAll,
    readNames,
  }).finally(end)
  const found = search.found.length > 0 ? await describeFound(session, journal, search.found) : []
  const isEnded = findsAll || search.found.length === 0
  // A user who finds an order has its code, so the find is recorded like a reveal before the result is printed.
  const shown = search.found.map((order) => ({ orderId: order.entry.orderId, skus: skusOf(order) }))
  await revealOrders(session, { orders: shown, how: 'find' }, () =>
    printFound(session, { found, search, since, total, isEnded }, options),
  )
  if (interrupted.aborted) {
    const none = search.found.length === 0 ? '; no card found so far' : ''
    throw interruption(interrupted, `interrupted after ${describeProgress(search, total)}${none}`, {
      advice: 'Search a shorter period, such as --since 7d.',
    })
  }
  if (search.found.length > 0) return exitCodes.ok.code
  const isSandbox = session.account.kind === 'sandbox'
  if (!options.json && !options.quiet)
    await noteHidden(context, journal, { profile: options.profile, isSandbox }, { by: 'find', isEmpty: true })
  // Without a match, an order that could not be read may have the card.
  return exitCodes[search.problem?.kind ?? 'refused'].code
}

/** The service may repeat a code in the name of a product. */
const readNames = (order: Order): ReadonlyMap<string, string> =>
  new Map([...maskOrder(order).products].map(([sku, { shopItem }]) => [sku, shopItem.name]))

const describeProgress = ({ compared, forgotten, unread, backTo }: Search, total: number): string => {
  const day = backTo === undefined ? '' : `, back to ${formatUtcDay(backTo)}`
  return `${compared + forgotten + unread} of ${total} orders${day}`
}

/** No error repeats the value. */
const fail = (problem: string): Failure => {
  return new Failure('usage', problem, {
    advice: (suggest) => `Read it from a file: ${suggest`find`} < code.txt`,
  })
}

const readMatcher = async (context: Context, { lastFour }: FindOptions): Promise<Matcher> => {
  if (lastFour !== undefined) return createEndMatcher(lastFour, maskSecret)
  const { stdin, promptSecret, interrupted } = context
  const value = stdin.isTerminal
    ? await promptSecret('Code, PIN, serial number or link (not shown)')
    : await readLine(context)
  if (value === undefined) throw interruption(interrupted, 'cancelled; the service was not asked')
  const matcher = createMatcher(value)
  if (matcher !== undefined) return matcher
  throw new Failure('usage', 'there is no letter or digit to find', {
    advice: 'Give a code, PIN, serial number or link.',
  })
}

const maxLength = 4_096

const readLine = async (context: Context): Promise<string> => {
  const lines = decode(await readInput(context, '-', 'the code'))
    .split(/\r\n|[\r\n]/)
    .filter((line) => line.trim() !== '')
  const [only = ''] = lines
  if (lines.length > 1) throw fail(`standard input has ${lines.length} lines, but find takes one value`)
  if (only.length > maxLength) throw fail(`the value is longer than ${maxLength} characters`)
  return only
}

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw fail('standard input is not valid UTF-8')
  }
}

const skusOf = ({ matches }: Pick<FoundOrder, 'matches'>): string[] => [
  ...new Set(matches.map(({ sku }) => sku)),
]

const describeFound = async (
  { owner: { account }, clock }: CommandSession,
  { read }: Journal,
  found: readonly FoundOrder[],
): Promise<DescribedOrder[]> => {
  const whole = await Promise.all(
    found.map(async ({ cards: cardCount, ...order }) => {
      const { number, orderId } = order.entry
      const entry = await getOrder(read, number)
      return entry === undefined ? [] : [{ ...order, cardCount, entry: { ...entry, orderId } }]
    }),
  )
  const described = await describeOrders(read, whole.flat(), clock.now())
  return readInParallel(described, async ({ hashes, ...order }) => {
    const { orderId } = order.entry
    const [reveals, others] = await Promise.all([
      listOrderReveals(read, account, orderId),
      listCardOrders(read, { account, cards: hashes }),
    ])
    const skus = new Set(skusOf(order))
    return {
      ...order,
      reveals: reveals.filter((reveal) => !skus.isDisjointFrom(new Set(reveal.skus))),
      alsoOn: others.filter((id) => id !== orderId),
    }
  })
}

const printFound = async (session: CommandSession, all: Searched, options: FindOptions): Promise<void> => {
  const { context } = session
  const { found, since } = all
  const { stderr, clock, suggest } = context
  await outputFor(context, options).print({
    names: listNames(searchFields),
    data: () => readFields(searchFields, all),
    ids: found.map(({ entry }) => entry.orderId),
    screen: () => renderFound(found, viewOf(context, session.serviceNow())),
  })
  for (const text of listSearchWarnings(all)) stderr.warn(text)
  if (options.json || options.quiet || context.interrupted.aborted) return
  const width = stderr.isTerminal ? stderr.width : Number.POSITIVE_INFINITY
  // After a match, suggests a search of all orders of the period. Otherwise, suggests a period twice as long.
  const days = Math.max(2, Math.round((clock.now() - since) / dayMs) * 2)
  const lastFour = { 'last-four': options.lastFour }
  const next =
    found.length > 0
      ? suggest`find --all ${{ ...lastFour, since: options.since?.text }}`
      : suggest`find ${{ ...lastFour, since: `${days}d` }}`
  stderr.write(renderSearched(all, next, width))
}
