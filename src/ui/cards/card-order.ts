// The parts of an order that exported files show, and what they have in common.
import type { Card } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Here } from '../terminal/view.ts'
import { formatDate, toInstant } from '../text/time.ts'

export type CardOrder = Pick<Order, 'uid' | 'reference' | 'products' | 'redeem'>

/** The value for the QR code. A link comes first, because a camera can open it. */
export const scannable = ({ link, code, pin }: Card): string | undefined => link ?? code ?? pin

// Spec silent: an empty date means that the card never expires.
export const describeExpiry = ({ expires }: Card, here: Here): string | undefined => {
  if (expires === undefined || expires === '') return expires === '' ? 'never' : undefined
  const at = toInstant(expires)
  return `${formatDate(expires, here)}${at !== undefined && at <= here.now ? ' (expired)' : ''}`
}
