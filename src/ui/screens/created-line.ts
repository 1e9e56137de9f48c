// Section 2.9: an order that was created just now, on one line, where more is to come.
import type { CreatedOrder } from '../../contract/schemas.ts'
import { safeText } from '../terminal/safe-text.ts'
import { moneyText } from '../text/money.ts'
import { expiryText } from '../text/time.ts'

export const createdLine = (
  { id, invoice, expiresAt }: CreatedOrder,
  reference: string,
  now: number,
): string =>
  `created ${safeText(id)} (reference ${safeText(reference)}): ${moneyText(invoice.total, invoice.wallet)} from the ${safeText(invoice.wallet)} wallet, ${expiryText(expiresAt, now)}\n`
