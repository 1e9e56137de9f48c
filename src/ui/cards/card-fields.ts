// The fields of a card, and how its secrets are masked.

import { type Card, listSecrets } from '../../contract/order/redeem-cards.ts'
import { dayMs } from '../../contract/time/duration.ts'
import { createCodeMasker, maskCode, maskLink } from '../masking/mask-codes.ts'
import { maskText } from '../masking/mask-response.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { formatMoney, formatNumber } from '../text/amounts.ts'
import { type ResultField, type ResultFields, readFields } from '../text/result-fields.ts'
import type { Cell } from '../text/table.ts'
import { formatDate, formatRelative, toInstant } from '../text/time.ts'

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

/** A card that belongs to a row of a batch says to which. */
export type OwnedCard = Card & { readonly row?: string | undefined }

/** A line break in a code is shown as an escape. On two lines, one code would look like two. */
const secret = (name: 'code' | 'pin' | 'serial' | 'link'): ResultField<OwnedCard> => [
  name,
  (card) => card[name],
  { title: name.toUpperCase(), cell: (card) => sanitize(card[name] ?? '') },
]

/** With the secrets as they are: see maskCards. */
export const cardFields: ResultFields<OwnedCard> = [
  ['sku', ({ sku }) => sku, { title: 'SKU', cell: ({ sku }) => sanitize(sku) }],
  ['value', ({ value }) => value, { title: 'VALUE', cell: formatValue, align: 'right' }],
  ['currency', ({ currency }) => currency],
  ...(['code', 'pin', 'serial', 'link'] as const).map(secret),
  ['expires', ({ expires }) => expires, { title: 'EXPIRES', cell: renderExpiry, narrow: 'wrap' }],
]

/** Of `redeem`, which knows the rows. */
export const ownedCardFields: ResultFields<OwnedCard> = [
  ...cardFields,
  ['row', ({ row }) => row, { title: 'ROW', cell: ({ row = '' }) => sanitize(row), narrow: 'wrap' }],
]

/** Also masks a SKU, a currency or an expiry date that repeats a code. */
export const maskCards = (cards: readonly OwnedCard[]): OwnedCard[] => {
  const codes = createCodeMasker(listSecrets(cards))
  return cards.map(({ sku, currency, expires, code, pin, serial, link, ...card }) => ({
    ...card,
    sku: maskText('sku', sku, codes),
    currency: currency && maskText('currency', currency, codes),
    expires: expires && maskText('expirationDate', expires, codes),
    code: code && maskCode(code),
    pin: pin && maskCode(pin),
    serial: serial && maskCode(serial),
    link: link && maskLink(link),
  }))
}

/** The cards as JSON, in one shape for both shapes of redeem data. */
export const readCards = (cards: readonly OwnedCard[], isRevealed: boolean, fields = cardFields) =>
  (isRevealed ? cards : maskCards(cards)).map((card) => readFields(fields, card))
