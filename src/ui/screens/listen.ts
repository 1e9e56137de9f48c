// What `orderctl listen` prints: where it listens, a line for each delivery, and with --status what waits.
import { formatDecimal } from '../../contract/decimal.ts'
import type { Order } from '../../contract/schemas.ts'
import { toMilliseconds } from '../../contract/timestamp.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { Theme } from '../terminal/theme.ts'
import type { View } from '../terminal/view.ts'
import { formatBytes } from '../text/bytes.ts'
import { type Field, renderFields } from '../text/fields.ts'
import { describeProducts } from '../text/products.ts'
import { formatAge, formatClock, formatTime } from '../text/time.ts'
import { stateText } from './state.ts'

export type Listening = {
  readonly url: string
  readonly isSigned: boolean
  /** The target of --forward-to. */
  readonly target: string | undefined
  /** The deliveries that an earlier process has not forwarded. */
  readonly waiting: number
}

export const renderListening = ({ url, isSigned, target, waiting }: Listening, theme: Theme): string => {
  const left = waiting === 0 ? '' : ` (${waiting} waiting from an earlier run)`
  const fields: Field[] = [
    ['url', theme.strong(sanitize(url))],
    ['signed', isSigned ? 'required' : 'not checked: anyone who knows the URL can send a delivery'],
    ['forward', target === undefined ? undefined : `${sanitize(target)}${left}`],
  ]
  return (
    `${theme.strong('Listening for webhooks.')}\n` +
    renderFields(fields, { theme }, '  ') +
    `${theme.quiet('Each delivery is logged below. Press Ctrl-C to stop.')}\n`
  )
}

/** '2026-11-20 20:54:05 UTC  ord_1  ✓ successful  2 × GAME-US 25  3 s' */
export const renderReceived = (
  { orderId, received }: { readonly orderId: string; readonly received: number },
  shown: Order | 'received again' | 'unknown',
  view: View,
): string => {
  const { theme, now } = view
  const describe = (): string[] => {
    if (shown === 'unknown') return [theme.warning('? the service does not know this order')]
    if (shown === 'received again') return [theme.quiet(shown)]
    const products = [...shown.products].map(([sku, { request }]) => ({
      ...{ sku, quote: formatDecimal(request.quote), ordered: request.quantity },
    }))
    const age = formatAge(toMilliseconds(shown.createdDate), now)
    return [stateText(shown.state, theme), sanitize(describeProducts(products)), theme.quiet(age)]
  }
  const cells = [theme.quiet(formatClock(received, view)), sanitize(orderId), ...describe()]
  return `${cells.filter((cell) => cell !== '').join('  ')}\n`
}

type ListenStatus = {
  readonly isListening: boolean
  readonly file: string
  /** How many deliveries wait to be forwarded. */
  readonly waiting: number
  readonly bytes: number
  readonly oldestAt: number | null
  readonly lastError: string | null
}

export const renderListenStatus = (status: ListenStatus, view: View): string => {
  const { isListening, file, waiting, bytes, oldestAt, lastError } = status
  const fields: Field[] = [
    ['listener', isListening ? 'running' : 'not running'],
    ['waiting', waiting === 0 ? 'none' : `${waiting} (${formatBytes(bytes)})`],
    ['oldest', oldestAt === null ? undefined : formatTime(oldestAt, view)],
    ['last error', lastError === null ? undefined : sanitize(lastError)],
    ['file', sanitize(file)],
  ]
  const next = waiting > 0 && !isListening ? `Send them: ${view.suggest`listen --forward-to URL`}\n` : ''
  return renderFields(fields, view) + next
}
