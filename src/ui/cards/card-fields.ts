// The fields of a card, how its secrets are masked, and warnings of cards whose code another card has.

import { type Card, listSecrets } from '../../contract/order/redeem-cards.ts'
import { dayMs } from '../../contract/time.ts'
import type { DuplicateCard } from '../../operations/identify-cards.ts'
import { createCodeMasker, maskCode, maskLink, maskText } from '../masking/mask-response.ts'
import { sanitize } from '../terminal/text.ts'
import type { View } from '../terminal/view.ts'
import { formatDate, formatMoney, formatNumber, formatRelative, toInstant } from '../text/formats.ts'
import { column, type ResultField, type ResultFields } from '../text/result-fields.ts'
import { type Cell, listFirst } from '../text/table.ts'

const soonMs = 30 * dayMs

// Spec silent: an empty date means that the card never expires.
const renderExpiry = ({ expires }: Card, { theme, ...here }: View): Cell => {
  if (expires === undefined) return { text: 'unknown', paint: theme.quiet }
  if (expires === '') return 'never'
  const at = toInstant(expires)
  const date = formatDate(expires, here)
  if (at === undefined) return expires
  const relative = formatRelative(at, here.now)
  if (at <= here.now) return { text: `${date}, expired ${relative}`, paint: theme.bad }
  return at - here.now <= soonMs ? { text: `${date}, ${relative}`, paint: theme.warning } : date
}

export const formatValue = ({ value, currency = '' }: Card): string => {
  if (value === undefined) return currency
  return currency === '' ? formatNumber(value) : formatMoney(value, currency)
}

/** With its number in the order, and the row of a batch that has it. */
export type OwnedCard = Card & { readonly number?: number; readonly row?: string | undefined }

/** A line break in a code is shown as an escape. On two lines, one code would look like two. */
const secret = (name: 'code' | 'pin' | 'serial' | 'link', meaning: string): ResultField<OwnedCard> => [
  name,
  'text',
  `${meaning}, masked without --reveal`,
  (card) => card[name],
  { title: name.toUpperCase(), cell: (card) => sanitize(card[name] ?? '') },
]

/** In one shape for both shapes of redeem data. With the secrets as they are: see maskCards. */
export const shownCardFields: ResultFields<OwnedCard> = [
  ['number', 'count', 'its number in the order, as in redeem', ({ number }) => number],
  ['sku', 'text', 'the SKU', ({ sku }) => sku, { title: 'SKU', cell: ({ sku }) => sanitize(sku) }],
  column('value', 'amount', 'what it is worth', ({ value }) => value, {
    title: 'VALUE',
    cell: formatValue,
    align: 'right',
  }),
  ['currency', 'text', 'of the value', ({ currency }) => currency],
  secret('code', 'the code'),
  secret('pin', 'the PIN'),
  secret('serial', 'the serial number'),
  secret('link', 'the link'),
  column(
    'expiresAt',
    'time',
    'when it expires; null if it never expires, or if that is not known',
    ({ expires }) => expires,
    { title: 'EXPIRES', cell: renderExpiry, narrow: 'wrap' },
  ),
  column('row', 'text', 'the row of the batch that has it', ({ row }) => row, {
    title: 'ROW',
    cell: ({ row = '' }) => sanitize(row),
    narrow: 'wrap',
  }),
]

/** Also masks a SKU, a currency or an expiry date that repeats a code. */
export const maskCards = (
  cards: readonly OwnedCard[],
  codes = createCodeMasker(listSecrets(cards)),
): OwnedCard[] =>
  cards.map(({ sku, currency, expires, code, pin, serial, link, ...card }) => ({
    ...card,
    sku: maskText('sku', sku, codes),
    currency: currency && maskText('currency', currency, codes),
    expires: expires && maskText('expirationDate', expires, codes),
    code: code && maskCode(code),
    pin: pin && maskCode(pin),
    serial: serial && maskCode(serial),
    link: link && maskLink(link),
  }))

const maxNamed = 10

/** One warning for each other order. */
export const describeDuplicates = (orderId: string, duplicates: readonly DuplicateCard[]): string[] =>
  [...Map.groupBy(duplicates, ({ of }) => of)].map(([of, cards]) => {
    const have = cards.length === 1 ? 'has' : 'have'
    const other = of === orderId ? 'an earlier card of this order' : `a card of the order ${sanitize(of)}`
    return (
      `${describeNumbers(cards)} of the order ${sanitize(orderId)} ${have} the same code as ${other}. ` +
      "Contact the service's support."
    )
  })

/** By their numbers in the order. */
export const describeNumbers = (cards: readonly { readonly number: number }[]): string => {
  const all = cards.map(({ number }) => String(number))
  const numbers = listFirst(all, maxNamed, (more) => `${more} more`)
  const last = numbers.pop()
  return cards.length === 1 ? `card ${last}` : `cards ${numbers.join(', ')} and ${last}`
}

type DuplicateRow = {
  /** 0 or undefined if the row was given as a flag. */
  readonly line: number | undefined
  readonly orderId: string | undefined
  readonly error: string | undefined
}

/** For the rows of a batch that got no card. Names the first of them. */
export const describeDuplicateRows = (rows: readonly DuplicateRow[]): string | undefined => {
  if (rows.length === 0) return undefined
  const named = rows.map(({ line, orderId, error = '' }) => {
    const where = [line ? `line ${line}` : '', orderId === undefined ? '' : `order ${sanitize(orderId)}`]
    return `  ${where.filter(Boolean).join(', ')}: ${sanitize(error)}`
  })
  const [have, them] = rows.length === 1 ? ['card has', 'it'] : ['cards have', 'them']
  return [
    `${rows.length} paid ${have} no code. Do not order ${them} again. Contact the service's support.`,
    ...listFirst(named, maxNamed, (more) => `  and ${more} more`),
  ].join('\n')
}
