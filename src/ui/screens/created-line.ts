// A new order on one line, wrapped on a terminal only, for commands that go on to confirm it (order-service.md 2.9).
import type { CreatedOrder } from '../../contract/schemas.ts'
import type { Writer } from '../terminal/io.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { wrapProse } from '../terminal/text-width.ts'
import { formatMoney } from '../text/money.ts'
import { formatExpiry } from '../text/time.ts'

export const renderCreatedLine = (
  { id, invoice, expiresAt }: CreatedOrder,
  reference: string,
  now: number,
  { isTerminal, width }: Pick<Writer, 'isTerminal' | 'width'>,
): string =>
  wrapProse(
    `created ${sanitize(id)} (reference ${sanitize(reference)}): ${formatMoney(invoice.total, invoice.wallet)} from the ${sanitize(invoice.wallet)} wallet, ${formatExpiry(expiresAt, now)}`,
    isTerminal ? width : Number.POSITIVE_INFINITY,
  )
    .map((line) => `${line}\n`)
    .join('')
