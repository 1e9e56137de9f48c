// What confirming an order would spend, until when, and the limits that flags set. Then what is left of a cap or a budget,
// and why one does not allow an order. Last, the differences between the order that the service shows, or a new request, and
// the order that was placed.

import { orderLimits } from '../contract/limits.ts'
import {
  countableForm,
  type Decimal,
  decimal,
  formatAmount,
  formatDecimal,
  formatMillionths,
  parseDecimal,
  roundUpToLimit,
  toMillionths,
  uncountable,
  zero,
} from '../contract/money/decimal.ts'
import type { OrderRequest, ProductLine } from '../contract/order/order-request.ts'
import { isSameReference } from '../contract/order/reference.ts'
import type { Order } from '../contract/schemas.ts'
import { formatDuration, formatUtcMinute, toMilliseconds } from '../contract/time.ts'
import { Failure, type FailureReason, type Remedy } from '../errors.ts'
import { type Commitment, findExceeded, noneCommitted, readLimit, type Use } from '../journal/limits.ts'
import type { Entry } from '../journal/orders/entries.ts'
import { readRequestLines } from '../journal/orders/products.ts'

type Guards = {
  readonly maxTotal?: Decimal | undefined
  readonly minValidityMs?: number | undefined
}

export type Offer = {
  readonly orderId: string
  readonly reference: string
  readonly total: Decimal
  readonly wallet: string
  readonly expiresAt: number
  /** The expiry is estimated, so only --min-validity uses it. */
  readonly isEstimate?: true
}

/** `expiresAt`: undefined without the service's time. `estimate`: used instead. */
export const toOffer = (
  order: Pick<Offer, 'orderId' | 'reference'>,
  { total, wallet }: Order['invoice'],
  expiresAt: number | undefined,
  estimate: number,
): Offer => ({
  ...{ ...order, total, wallet },
  ...(expiresAt === undefined ? { expiresAt: estimate, isEstimate: true } : { expiresAt }),
})

/** The response to `get` has no `expiresAt`. `expiresAt`: what is known from the journal. */
export const offerFrom = (
  { uid: orderId, reference, invoice, createdDate }: Order,
  expiresAt: number | undefined,
): Offer =>
  toOffer({ orderId, reference }, invoice, expiresAt, toMilliseconds(createdDate) + orderLimits.validityMs)

/** What the total counts as against limits. Throws if it is too large to count. */
export const countOffer = ({
  orderId,
  total,
  wallet,
}: Pick<Offer, 'orderId' | 'total' | 'wallet'>): bigint => {
  const counts = toMillionths(formatDecimal(total)) ?? uncountable
  if (counts < uncountable) return counts
  const problem = `the order ${orderId} costs ${formatAmount(total, wallet)}; orderctl only confirms totals ${countableForm}. It was not confirmed`
  throw new Failure('refused', problem, { orderId })
}

export const guard = (
  { orderId, total, wallet, expiresAt, isEstimate }: Omit<Offer, 'reference'>,
  { maxTotal, minValidityMs }: Guards,
  now: number,
): void => {
  const counts = countOffer({ orderId, total, wallet })
  if (maxTotal !== undefined) {
    const amount = formatDecimal(maxTotal)
    const use = { scope: 'command', currency: wallet, amount, spent: noneCommitted } as const
    if (findExceeded([use], counts)) throw createOverLimitFailure({ orderId, total }, use)
  }
  const left = expiresAt - now
  if (left <= 0 && isEstimate !== true) {
    throw new Failure('expired', `the order ${orderId} has expired; it was not confirmed`, {
      orderId,
      fix: (suggest) => suggest`create ${{ again: orderId }}`,
    })
  }
  if (minValidityMs === undefined || left >= minValidityMs) return
  const when = left <= 0 ? `expired ${formatDuration(left)} ago` : `expires in ${formatDuration(left)}`
  throw new Failure(
    left <= 0 ? 'expired' : 'expires-soon',
    `the order ${orderId} ${when}, sooner than --min-validity ${formatDuration(minValidityMs)}; it was not confirmed`,
    { field: '--min-validity', orderId, advice: 'Create it again, and confirm it earlier.' },
  )
}

/** Without the orders whose amount cannot be read. */
export const amountOf = ({ millionths }: Pick<Commitment, 'millionths'>): Decimal =>
  decimal(formatMillionths(millionths))

/** A limit may be lowered below the amount spent. */
export const findLeft = ({ amount, spent: { millionths, isDamaged } }: Pick<Use, 'amount' | 'spent'>) => {
  const left = readLimit(amount) - millionths
  return isDamaged || left < 0n ? zero : amountOf({ millionths: left })
}

type Facts = Pick<Use, 'name'> & {
  readonly orderId: string
  readonly profile: string
  /** The lowest amount that would allow the order. */
  readonly needed: string
}
type Refusal = Remedy & { readonly reason: FailureReason; readonly limit: string; readonly field?: string }

/** Its name, and what to do. */
const refusals: Readonly<Record<Use['scope'], (facts: Facts) => Refusal>> = {
  command: ({ orderId, needed }) => ({
    ...{ reason: 'over-max-total', limit: '--max-total', field: '--max-total' },
    fix: (suggest) => suggest`get ${orderId}`,
    advice: `The order needs --max-total ${needed}.`,
  }),
  batch: ({ name = '', needed }) => ({
    ...{ reason: 'over-cap', limit: `the cap of its batch ${name}` },
    fix: (suggest) => suggest`batch show ${name}`,
    advice: `To continue, run the batch with --max-total ${needed} or more.`,
  }),
  account: ({ profile }) => ({
    ...{ reason: 'over-budget', limit: `the budget of ${profile}` },
    fix: (suggest) => suggest`profile limits ${profile}`,
  }),
  role: ({ name, ...facts }) => {
    const refusal = refusals.account(facts)
    return { ...refusal, limit: `${refusal.limit} for the database role ${name}` }
  },
}

const ofDamage: Remedy = {
  fix: (suggest) => suggest`list --all`,
  advice: 'The list warns about the order. Reconcile that order.',
}

/** The confirm was not sent. `profile`: for a budget. */
export const createOverLimitFailure = (
  { orderId, total }: { readonly orderId: string; readonly total: Decimal },
  use: Use,
  profile = '',
): Failure => {
  const { scope, name, kind, currency, amount, spent, until } = use
  const needed = formatDecimal(roundUpToLimit(amountOf(spent).plus(total)))
  const { reason, limit, field, ...remedy } = refusals[scope]({ orderId, name, profile, needed })
  const left = findLeft(use)
  const hasLeft = !spent.isDamaged && (until !== undefined || scope === 'batch')
  // '500.00 USD per day, 12.50 USD left until 2026-11-23 00:00 UTC'
  const facts = [
    formatAmount(decimal(amount), currency),
    kind && ` per ${kind}`,
    hasLeft && `, ${formatAmount(left, currency)} left`,
    hasLeft && until !== undefined && ` until ${formatUtcMinute(until)}`,
  ]
  const text = `${limit} (${facts.filter(Boolean).join('')})`
  const why = spent.isDamaged ? `${text}, because the journal contains a damaged amount` : text
  const problem = `the order ${orderId} of ${formatAmount(total, currency)} is over ${why}; it was not confirmed`
  return new Failure(reason, problem, {
    ...{ field, orderId, role: scope === 'role' ? name : undefined },
    budget: kind && {
      ...{ text, per: kind, currency, amount: decimal(amount), left },
      endsAt: until === undefined ? undefined : new Date(until).toISOString(),
    },
    ...(spent.isDamaged ? ofDamage : remedy),
  })
}

export type Difference = { readonly field: string; readonly placed: string; readonly now: string }

/** The products of its request. Undefined if it was created elsewhere, or if its request cannot be read. */
export const readRequestedProducts = ({ request }: Pick<Entry, 'request'>): ProductLine[] | undefined => {
  try {
    const lines = readRequestLines(request)
    return lines?.map((line) => ({ ...line, quote: decimal(line.quote) })) as ProductLine[]
  } catch {
    return undefined
  }
}

/** Values that the journal does not contain are not compared. */
export const findDifferences = (
  placed: Pick<Entry, 'reference' | 'wallet' | 'total' | 'request'>,
  order: Order,
): Difference[] => {
  const { reference, invoice, products } = order
  const total = placed.total === undefined ? undefined : parseDecimal(placed.total)
  const shown = [...products].map(([sku, { request }]) => ({ ...request, sku }))
  return [
    ...(isSameReference(placed.reference ?? reference, reference)
      ? []
      : compare('reference', placed.reference, reference)),
    ...compare('wallet', placed.wallet, invoice.wallet),
    ...(total !== undefined && isSameAmount(total, invoice.total)
      ? []
      : compare('total', total && formatDecimal(total), formatDecimal(invoice.total))),
    ...compareLines(readRequestedProducts(placed) ?? shown, shown, describeLine),
  ]
}

/** Undefined if the entry has no request. References are not compared. */
export const compareRequest = (
  entry: Pick<Entry, 'request' | 'wallet'>,
  { productList, wallet }: Pick<OrderRequest, 'productList' | 'wallet'>,
): Difference[] | undefined => {
  const stored = readRequestedProducts(entry)
  if (stored === undefined) return undefined
  const describe = (line: ProductLine): string => `${describeLine(line)} (${line.productType})`
  return [...compare('wallet', entry.wallet ?? '', wallet), ...compareLines(stored, productList, describe)]
}

/** To the millionth, as amounts count against limits. */
const isSameAmount = (one: Decimal, other: Decimal): boolean =>
  toMillionths(formatDecimal(one)) === toMillionths(formatDecimal(other))

/** A value that is not known is not compared. */
const compare = (field: string, placed: string | undefined, now: string): Difference[] =>
  placed === undefined || placed === now ? [] : [{ field, placed, now }]

const compareLines = <Line extends { readonly sku: string }>(
  placed: readonly Line[],
  now: readonly Line[],
  describe: (line: Line) => string,
): Difference[] => {
  const textsOf = (lines: readonly Line[]) => new Map(lines.map((line) => [line.sku, describe(line)]))
  const [before, after] = [textsOf(placed), textsOf(now)]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((sku) =>
    compare(`product ${sku}`, before.get(sku) ?? 'none', after.get(sku) ?? 'none'),
  )
}

const describeLine = ({ quantity, quote }: Pick<ProductLine, 'quantity' | 'quote'>): string =>
  `${quantity} x ${formatDecimal(quote)}`

export const differenceText = ({ field, placed, now }: Difference): string =>
  `${field}: ordered ${placed}, now ${now}`

/** `isOfBatch`: a batch buys exactly the cards of its rows. */
export const refuseChanges = (
  orderId: string,
  differences: readonly Difference[],
  isOfBatch = false,
): void => {
  if (differences.length === 0) return
  const placed = isOfBatch ? 'the order that its batch placed' : 'the order that was placed'
  const remedy: Remedy = isOfBatch
    ? { advice: 'Changes to an order of a batch cannot be accepted.' }
    : {
        fix: (suggest) => suggest`get ${orderId}`,
        advice: 'To accept the changes, confirm the order with --accept-changes.',
      }
  throw new Failure('order-changed', `the order ${orderId} differs from ${placed}; it was not confirmed`, {
    orderId,
    violations: differences.map(differenceText),
    ...remedy,
  })
}
