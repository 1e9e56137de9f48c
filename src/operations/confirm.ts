// Confirms an order: looked at first, guarded, sent once, and settled where the answer was lost.
import { type Decimal, decimalText } from '../contract/decimal.ts'
import { limits } from '../contract/limits.ts'
import type { Order } from '../contract/schemas.ts'
import { isPastPending } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { refusedFailure, unsentFailure } from './failure-of.ts'
import { type Deps, interruption, readOrder, type Seen } from './read.ts'
import { settle } from './settle.ts'

export type Guards = {
  readonly maxTotal?: Decimal | undefined
  readonly minValidityMs?: number | undefined
}

export type Offer = {
  readonly orderId: string
  readonly total: Decimal
  readonly wallet: string
  readonly expiresAt: number
  /** The service did not say it: where nobody set a limit, the service is asked all the same. */
  readonly isGuess?: true
}

/** The order as it stands before it is confirmed. Throws where it is past that. */
export const look = async (deps: Deps, orderId: string): Promise<Seen & { offer: Offer }> => {
  const seen = await readOrder(deps, orderId)
  if (isPastPending(seen.order.state)) throw alreadyConfirmed(seen.order)
  return { ...seen, offer: offerOf(seen.order) }
}

// Get does not answer `expiresAt`: this is the usual ten minutes from the creation (section 4.1), a guess.
const offerOf = ({ uid, invoice, createdDate }: Order): Offer => ({
  orderId: uid,
  total: invoice.total,
  wallet: invoice.wallet,
  expiresAt:
    createdDate._seconds * 1000 + Math.floor(createdDate._nanoseconds / 1_000_000) + limits.validityMs,
  isGuess: true,
})

export const guard = (
  { orderId, total, wallet, expiresAt, isGuess }: Offer,
  { maxTotal, minValidityMs }: Guards,
  now: number,
): void => {
  if (maxTotal !== undefined && total.gt(maxTotal)) {
    throw new Failure(
      'usage',
      `the order costs ${decimalText(total)} ${wallet}, more than --max-total ${decimalText(maxTotal)}; it was not confirmed`,
      { field: '--max-total', orderId, fix: 'Left unconfirmed it lapses, and nothing is spent.' },
    )
  }
  const left = expiresAt - now
  if (left <= 0 && isGuess !== true) {
    throw new Failure('expired', 'the order has expired; it was not confirmed, and nothing is spent', {
      orderId,
      fix: 'Create it again: its rates were frozen until it expired.',
    })
  }
  if (minValidityMs !== undefined && left < minValidityMs) {
    throw new Failure(
      'expired',
      `the order expires in ${Math.floor(left / 1000)} s, sooner than --min-validity; it was not confirmed`,
      { field: '--min-validity', orderId, fix: 'Create it again, and confirm it sooner.' },
    )
  }
}

const alreadyConfirmed = (order: Order): Failure =>
  new Failure('refused', `the order is already confirmed: it is ${order.state}`, {
    orderId: order.uid,
    already: true,
    fix: `orderctl get ${order.uid}, or --idempotent where that is as good`,
  })

/** One confirmation. Resolves where it is certain that the order is confirmed by it. */
export const confirm = async ({ api, clock, interrupted }: Deps, orderId: string): Promise<void> => {
  if (interrupted.aborted) {
    throw interruption(interrupted, 'interrupted; the order was not confirmed, and nothing is spent', {
      orderId,
    })
  }
  const outcome = await api.confirm(orderId)
  if (outcome.kind === 'done') return
  if (outcome.kind === 'not-sent') throw unsentFailure(outcome, orderId)
  if (outcome.kind === 'refused') {
    if (outcome.refusal !== 'not-pending') throw refusedFailure(outcome, orderId)
    const seen = await api.get(orderId)
    if (seen.kind === 'done' && isPastPending(seen.data.state)) throw alreadyConfirmed(seen.data)
    throw refusedFailure(outcome, orderId)
  }
  const settled = await settle(api, orderId, clock, interrupted)
  if (settled.kind === 'confirmed') return
  const state =
    settled.order === undefined ? 'The order could not be read since.' : 'The order still says created.'
  throw new Failure('unknown', `whether the order is confirmed is not known: ${outcome.reason}. ${state}`, {
    orderId,
    fix: `Do not order again. Look at it: orderctl get ${orderId}`,
    ...(outcome.status === undefined ? {} : { status: outcome.status }),
  })
}
