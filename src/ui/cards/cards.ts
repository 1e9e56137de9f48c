// Renders the cards of an order as a table. Codes are masked unless they are revealed.
import { dayMs } from '../../contract/duration.ts'
import type { Card, Shortfall } from '../../contract/redeem-cards.ts'
import { maskCode, maskLink } from '../masking/mask.ts'
import { createCodeMasker } from '../masking/mask-codes.ts'
import { maskText } from '../masking/mask-text.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { Theme } from '../terminal/theme.ts'
import type { Here, View } from '../terminal/view.ts'
import { renderSection } from '../text/fields.ts'
import { formatMoney, formatNumber } from '../text/money.ts'
import { type Cell, type Column, fitsTable, renderTable } from '../text/table.ts'
import { formatDate, formatRelative, toInstant } from '../text/time.ts'

const soonMs = 30 * dayMs

// Spec silent: an empty date means that the card never expires.
const renderExpiry = ({ expires }: Card, here: Here, theme: Theme): Cell => {
  if (expires === undefined) return { text: 'unknown', paint: theme.quiet }
  if (expires === '') return 'never'
  const at = toInstant(expires)
  const date = formatDate(expires, here)
  if (at === undefined) return expires
  if (at <= here.now) return { text: `${date}, expired ${formatRelative(at, here.now)}`, paint: theme.bad }
  if (at - here.now <= soonMs)
    return { text: `${date}, ${formatRelative(at, here.now)}`, paint: theme.warning }
  return date
}

export const formatValue = ({ value, currency = '' }: Card): string => {
  if (value === undefined) return currency
  return currency === '' ? formatNumber(value) : formatMoney(value, currency)
}

// A line break in a code is shown as an escape. On two lines, one code would look like two.
const createCodeColumn = (title: string, field: 'code' | 'pin' | 'serial') => ({
  column: { title },
  cell: (card: Card, reveal: boolean) => (reveal ? sanitize(card[field] ?? '') : maskCode(card[field] ?? '')),
})

const columns: readonly {
  readonly column: Column
  readonly cell: (card: Card, reveal: boolean, view: View) => Cell
}[] = [
  { column: { title: 'SKU' }, cell: ({ sku }) => sanitize(sku) },
  { column: { title: 'VALUE', align: 'right' }, cell: formatValue },
  createCodeColumn('CODE', 'code'),
  createCodeColumn('PIN', 'pin'),
  createCodeColumn('SERIAL', 'serial'),
  {
    column: { title: 'LINK' },
    cell: ({ link = '' }, reveal) => (reveal ? sanitize(link) : maskLink(link)),
  },
  {
    column: { title: 'EXPIRES', narrow: 'wrap' },
    cell: (card, _, view) => renderExpiry(card, view, view.theme),
  },
]

/** A currency or an expiry date may repeat a code. */
export const maskOpenFields = (cards: readonly Card[]): Card[] => {
  const codes = cards.flatMap(({ code, pin, serial, link }) => [code, pin, serial, link])
  const maskCodes = createCodeMasker(codes.filter((each) => each !== undefined))
  const mask = (text: string): string => (toInstant(text) === undefined ? maskText(text, maskCodes) : text)
  return cards.map((card) => ({
    ...card,
    currency: card.currency && mask(card.currency),
    expires: card.expires && mask(card.expires),
  }))
}

/** Leaves out empty columns. */
const layOut = (cards: readonly Card[], reveal: boolean, view: View, without?: string) => {
  const kept = columns
    .filter(({ column }) => column.title !== without)
    .map(({ column, cell }) => ({ column, cells: cards.map((card) => cell(card, reveal, view)) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  return {
    columns: kept.map(({ column }) => column),
    rows: cards.map((_, row) => kept.map(({ cells }) => cells[row] ?? '')),
  }
}

/** `first` is the number of the first card in the list of all cards. */
export const renderCards = (given: readonly Card[], reveal: boolean, view: View, first = 1): string => {
  if (given.length === 0) return ''
  const cards = reveal ? given : maskOpenFields(given)
  const whole = layOut(cards, reveal, view)
  if (fitsTable(whole.columns, whole.rows, view.width)) return renderTable(whole.columns, whole.rows, view)
  // Links are the longest texts. Below the table the terminal wraps them, so that a copied link has no line break.
  const rest = layOut(cards, reveal, view, 'LINK')
  const numbered = [{ title: '#', align: 'right' } as const, ...rest.columns]
  const rows = rest.rows.map((row, index) => [String(index + first), ...row])
  if (!fitsTable(numbered, rows, view.width)) return renderTable(whole.columns, whole.rows, view)
  const links = cards.map(({ link = '' }, index) =>
    link === '' ? '' : `${index + first}  ${reveal ? sanitize(link) : maskLink(link)}\n`,
  )
  return `${renderTable(numbered, rows, view)}\n${renderSection('Links', links.join(''), view)}`
}

/** One line for each product with fewer cards than ordered. */
export const renderShortfalls = (shortfalls: readonly Shortfall[], theme: Theme): string =>
  shortfalls
    .map(({ sku, ordered, received }) => {
      const count = received === 0 ? 'no card' : `only ${received}`
      return `${theme.bad('missing:')} ${sanitize(sku)}: ${ordered} ordered, ${count} received\n`
    })
    .join('')
