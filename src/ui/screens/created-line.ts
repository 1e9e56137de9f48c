// A new order on one line, for commands that go on to confirm it (order-service.md 2.9).
import type { CreatedOrder } from '../../contract/schemas.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { formatMoney } from '../text/money.ts'
import { formatExpiry } from '../text/time.ts'

export const renderCreatedLine = (
  { id, invoice, expiresAt }: CreatedOrder,
  reference: string,
  now: number,
): string =>
  `created ${sanitize(id)} (reference ${sanitize(reference)}): ${formatMoney(invoice.total, invoice.wallet)} from the ${sanitize(invoice.wallet)} wallet, ${formatExpiry(expiresAt, now)}`
