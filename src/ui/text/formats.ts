// Formats amounts, counts, sizes of files, the products of an order, times (local time, time zone, distance from now), and
// the line that --debug prints for each request.

import type { TraceEvent } from '../../client/observe-transport.ts'
import {
  type Decimal,
  formatAmount,
  formatDecimal,
  getMinorDigits,
  groupDigits,
  zero,
} from '../../contract/money/decimal.ts'
import type { OrderedProduct } from '../../contract/order/ordered-products.ts'
import type { Order, Timestamp } from '../../contract/schemas.ts'
import { formatDuration, parseUtcDay, toMilliseconds } from '../../contract/time.ts'
import { sanitize } from '../terminal/text.ts'
import type { LocalTime } from '../terminal/view.ts'

/** With the currency's minor units, but without the currency. */
export const formatBareMoney = (amount: Decimal, currency: string): string =>
  groupDigits(amount, getMinorDigits(currency))

/** The currency comes last so that columns align. */
export const formatMoney = (amount: Decimal, currency: string): string =>
  formatAmount(amount, sanitize(currency))

/** For rates and percentages. */
export const formatNumber = (value: Decimal): string => groupDigits(value, 0)

/** '1 card', '2 cards'. */
export const describeCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`

/** The note about a file of cards. Windows has no modes. */
export const describeExport = (cards: number, file: string, platform: string): string => {
  const rights = platform === 'win32' ? '' : ', readable only by you (mode 0600)'
  return `Wrote ${describeCount(cards, 'card')} with codes to ${sanitize(file)}${rights}\n`
}

/** 'GAME-US (Game Card US)' */
export const describeSku = (sku: string, name: string | null | undefined): string =>
  name == null ? sanitize(sku) : `${sanitize(sku)} (${sanitize(name)})`

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** '832 bytes', '1.2 MiB'. */
export const formatBytes = (bytes: number): string => {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** '2 × GAME-US 25, 1 × BOOK-DE 7.50' */
export const describeProducts = (
  products: readonly Pick<OrderedProduct, 'sku' | 'quote' | 'ordered'>[],
): string =>
  products.map(({ sku, quote, ordered }) => `${ordered} × ${sku} ${quote.replace(/\.\d$/, '$&0')}`).join(', ')

/** The same for an order as the service shows it. */
export const describeOrdered = ({ products }: Pick<Order, 'products'>): string =>
  describeProducts(
    [...products].map(([sku, { request }]) => ({
      ...{ sku, quote: formatDecimal(request.quote), ordered: request.quantity },
    })),
  )

/** About failed cards, before they are ordered again. `who` has charged the amount for `what`. */
export const writeRepayAdvice = (
  who: string,
  charged: Decimal | undefined,
  wallet: string,
  what = 'for them',
): string[] =>
  charged?.gt(zero)
    ? [
        `${who} already charged ${formatMoney(charged, wallet)} ${what}. Order them again only after the refund.`,
      ]
    : []

/** Milliseconds since the UNIX epoch, a timestamp (order-service.md 2.1), or an ISO 8601 text. */
export type Moment = number | string | Timestamp

/** The range of Date. */
const maxMs = 8.64e15
const isoForm = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i

const parseIso = (text: string): number => {
  const [, date = '', time = '00:00', zone = 'Z'] = isoForm.exec(text.trim()) ?? []
  if (parseUtcDay(date) === undefined) return Number.NaN
  // Spec silent: a text without a time zone is UTC.
  return Date.parse(`${date}T${time}${zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`)
}

/** Milliseconds since the UNIX epoch; undefined if the value is no valid time. */
export const toInstant = (moment: Moment): number | undefined => {
  const ms =
    typeof moment === 'number'
      ? moment
      : typeof moment === 'string'
        ? parseIso(moment)
        : toMilliseconds(moment)
  return Number.isNaN(ms) || Math.abs(ms) > maxMs ? undefined : ms
}

/** For scripts. Null for a time that is unknown or invalid: a service may send a very large number for 'never'. */
export const formatIso = (moment: Moment | null | undefined): string | null => {
  const ms = moment == null ? undefined : toInstant(moment)
  return ms === undefined ? null : new Date(ms).toISOString()
}

const keepGiven = (moment: Moment): string =>
  sanitize(typeof moment === 'object' ? `${moment._seconds} s` : String(moment))

const formats = new Map<string, Intl.DateTimeFormat>()

const formatIn = (ms: number, timeZone: string) => {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'shortOffset',
    })
  formats.set(timeZone, format)
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  const { year = '', month, day, hour, minute, second, timeZoneName = '' } = parts
  const date = `${year.padStart(4, '0')}-${month}-${day}`
  const zone = timeZoneName.replace('GMT', 'UTC').replace(/\+0$/, '')
  return { date, clock: `${date} ${hour}:${minute}:${second} ${zone}` }
}

/** 'in 9 min', '2 h ago', 'now'; '?' for an invalid time. */
export const formatRelative = (ms: number, now: number): string => {
  if (toInstant(ms) === undefined) return '?'
  const away = ms - now
  if (Math.abs(away) < 1_000) return 'now'
  return away > 0 ? `in ${formatDuration(away)}` : `${formatDuration(away)} ago`
}

/** '2 h'; 'in 9 min' if a clock was set back; '?' for an invalid time. */
export const formatAge = (ms: number, now: number): string => {
  const relative = formatRelative(ms, now)
  return relative === 'now' ? formatDuration(0) : relative.replace(/ ago$/, '')
}

/** 'expires in 9 min', 'expired 3 min ago'. */
export const formatExpiry = (ms: number, now: number): string =>
  `${ms > now ? 'expires' : 'expired'} ${formatRelative(ms, now)}`

/** In the reader's time zone. An invalid time is shown as given. */
export const formatDate = (moment: Moment, { timeZone }: LocalTime): string => {
  const ms = toInstant(moment)
  return ms === undefined ? keepGiven(moment) : formatIn(ms, timeZone).date
}

/** '2026-11-20 20:54:05 UTC+1'. */
export const formatClock = (moment: Moment, { timeZone }: LocalTime): string => {
  const ms = toInstant(moment)
  return ms === undefined ? keepGiven(moment) : formatIn(ms, timeZone).clock
}

/** '2026-11-20 20:54:05 UTC+1, 2 h ago'. */
export const formatTime = (moment: Moment, here: LocalTime): string => {
  const ms = toInstant(moment)
  const text = formatClock(moment, here)
  return ms === undefined ? text : `${text}, ${formatRelative(ms, here.now)}`
}

export const renderTrace = (traced: TraceEvent): string => {
  const { method, url, status, failure, ms, requestBytes, responseBytes, requestId } = traced
  const parts = [
    `debug: ${method} ${sanitize(url)}`,
    status === undefined ? sanitize(failure ?? 'no response') : String(status),
    `${ms} ms`,
    `${requestBytes} B out${responseBytes === undefined ? '' : `, ${responseBytes} B in`}`,
    ...(requestId === undefined ? [] : [`request ${sanitize(requestId)}`]),
  ]
  return `${parts.join('  ')}\n`
}
