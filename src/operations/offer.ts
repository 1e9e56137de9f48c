// What a confirmation would spend, and until when; and what a script sets against it.
import { amountText, type Decimal, decimalText } from '../contract/decimal.ts'
import { lengthText } from '../contract/duration.ts'
import { limits } from '../contract/limits.ts'
import type { CreatedOrder, Order, Timestamp } from '../contract/schemas.ts'
import { shellWord } from '../contract/shell-word.ts'
import { millisecondsOf } from '../contract/timestamp.ts'
import { Failure } from '../errors.ts'

export type Guards = {
  readonly maxTotal?: Decimal | undefined
  readonly minValidityMs?: number | undefined
}

export type Offer = {
  readonly orderId: string
  readonly reference: string
  readonly total: Decimal
  readonly wallet: string
  readonly expiresAt: number
  /** The service did not say it: where nobody set a limit, the service is asked all the same. */
  readonly isGuess?: true
  /** The journal has one of that id, but another: see ConfirmIntent. */
  readonly isAnother?: boolean
}

export const offerOf = ({ id, invoice, expiresAt }: CreatedOrder, reference: string): Offer => ({
  orderId: id,
  reference,
  total: invoice.total,
  wallet: invoice.wallet,
  expiresAt,
})

/** Get does not answer `expiresAt`; the journal has it of what was created from here. */
export const offered = (
  { uid, reference, invoice, createdDate }: Order,
  expiresAt: number | undefined,
): Offer => ({
  orderId: uid,
  reference,
  total: invoice.total,
  wallet: invoice.wallet,
  ...(expiresAt === undefined ? guessed(createdDate) : { expiresAt }),
})

// The usual ten minutes from the creation (section 4.1).
const guessed = (createdDate: Timestamp) => ({
  expiresAt: millisecondsOf(createdDate) + limits.validityMs,
  isGuess: true as const,
})

export const guard = (
  { orderId, total, wallet, expiresAt, isGuess }: Omit<Offer, 'reference'>,
  { maxTotal, minValidityMs }: Guards,
  now: number,
): void => {
  if (maxTotal !== undefined && total.gt(maxTotal)) {
    throw new Failure(
      'refused',
      `the order ${orderId} costs ${amountText(total, wallet)}, more than --max-total ${decimalText(maxTotal)}; it was not confirmed, and nothing is spent`,
      {
        field: '--max-total',
        orderId,
        fix: `orderctl confirm ${shellWord(orderId)}, with a higher --max-total; or leave it, and it lapses`,
      },
    )
  }
  const left = expiresAt - now
  if (left <= 0 && isGuess !== true) {
    throw new Failure(
      'expired',
      `the order ${orderId} has expired; it was not confirmed, and nothing is spent`,
      {
        orderId,
        fix: 'Create it again: its rates were frozen until it expired.',
      },
    )
  }
  if (minValidityMs !== undefined && left < minValidityMs) {
    const when = left <= 0 ? `expired ${lengthText(left)} ago` : `expires in ${lengthText(left)}`
    throw new Failure(
      left <= 0 ? 'expired' : 'refused',
      `the order ${orderId} ${when}, sooner than --min-validity ${lengthText(minValidityMs)}; it was not confirmed, and nothing is spent`,
      { field: '--min-validity', orderId, fix: 'Create it again, and confirm it sooner.' },
    )
  }
}
