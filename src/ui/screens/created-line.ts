// A new order on one line, for commands that go on to confirm it (order-service.md 2.9).
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
