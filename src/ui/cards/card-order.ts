// What the files of cards are made from, and what is said of a card in each of them.
import type { Card } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Here } from '../terminal/view.ts'
import { dateText, instantOf } from '../text/time.ts'

export type CardOrder = Pick<Order, 'uid' | 'products' | 'redeem'>

/** What a camera reads first: the link leads there by itself. */
export const scannable = ({ link, code, pin }: Card): string | undefined => link ?? code ?? pin

// Spec silent on a card that never expires: a date that is given and empty says so.
export const expiryWords = ({ expires }: Card, here: Here): string | undefined => {
  if (expires === undefined || expires === '') return expires === '' ? 'never' : undefined
  const at = instantOf(expires)
  return `${dateText(expires, here)}${at !== undefined && at <= here.now ? ' (expired)' : ''}`
}
