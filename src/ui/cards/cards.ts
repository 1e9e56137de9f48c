// The cards of an order as a table: masked unless they are to be revealed, their expiry in words.
import type { Card, Shortfall } from '../../contract/redeem-cards.ts'
import { maskCode, maskLink } from '../masking/mask.ts'
import { createCodeMasker } from '../masking/mask-codes.ts'
import { maskText } from '../masking/mask-text.ts'
import { safeText } from '../terminal/safe-text.ts'
import type { Theme } from '../terminal/theme.ts'
import type { Here, View } from '../terminal/view.ts'
import { sectionText } from '../text/fields.ts'
import { moneyText, numberText } from '../text/money.ts'
import { type Cell, type Column, fitsTable, tableText } from '../text/table.ts'
import { dateText, instantOf, relativeText } from '../text/time.ts'

const dayMs = 24 * 60 * 60 * 1000
const soonMs = 30 * dayMs

// Spec silent on a card that never expires: a date that is given and empty says so.
const expiryCell = ({ expires }: Card, here: Here, theme: Theme): Cell => {
  if (expires === undefined) return { text: 'not given', paint: theme.quiet }
  if (expires === '') return 'never'
  const at = instantOf(expires)
  const date = dateText(expires, here)
  if (at === undefined) return expires
  if (at <= here.now) return { text: `${date} expired ${relativeText(at, here.now)}`, paint: theme.bad }
  if (at - here.now <= soonMs)
    return { text: `${date} soon, ${relativeText(at, here.now)}`, paint: theme.warning }
  return date
}

export const valueText = ({ value, currency = '' }: Card): string => {
  if (value === undefined) return currency
  return currency === '' ? numberText(value) : moneyText(value, currency)
}

// A line's end in it is said, not drawn: below each other, two halves of a code read as two codes.
const codeColumn = (title: string, field: 'code' | 'pin' | 'serial') => ({
  column: { title },
  cell: (card: Card, reveal: boolean) => (reveal ? safeText(card[field] ?? '') : maskCode(card[field] ?? '')),
})

const columns: readonly {
  readonly column: Column
  readonly cell: (card: Card, reveal: boolean, view: View) => Cell
}[] = [
  { column: { title: 'SKU' }, cell: ({ sku }) => safeText(sku) },
  { column: { title: 'VALUE', align: 'right' }, cell: valueText },
  codeColumn('CODE', 'code'),
  codeColumn('PIN', 'pin'),
  codeColumn('SERIAL', 'serial'),
  {
    column: { title: 'LINK' },
    cell: ({ link = '' }, reveal) => (reveal ? safeText(link) : maskLink(link)),
  },
  {
    column: { title: 'EXPIRES', narrow: 'wrap' },
    cell: (card, _, view) => expiryCell(card, view, view.theme),
  },
]

/** A currency or an expiry that holds a code is masked like a code. */
const maskOpenFields = (cards: readonly Card[]): Card[] => {
  const codes = cards.flatMap(({ code, pin, serial, link }) => [code, pin, serial, link])
  const maskCodes = createCodeMasker(codes.filter((each) => each !== undefined))
  const mask = (text: string): string => (instantOf(text) === undefined ? maskText(text, maskCodes) : text)
  return cards.map((card) => ({
    ...card,
    ...(card.currency === undefined ? {} : { currency: mask(card.currency) }),
    ...(card.expires === undefined ? {} : { expires: mask(card.expires) }),
  }))
}

/** A column that no card fills is left out. */
const drawn = (cards: readonly Card[], reveal: boolean, view: View, without?: string) => {
  const kept = columns
    .filter(({ column }) => column.title !== without)
    .map(({ column, cell }) => ({ column, cells: cards.map((card) => cell(card, reveal, view)) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  return {
    columns: kept.map(({ column }) => column),
    rows: cards.map((_, row) => kept.map(({ cells }) => cells[row] ?? '')),
  }
}

export const cardsText = (given: readonly Card[], reveal: boolean, view: View): string => {
  if (given.length === 0) return ''
  const cards = reveal ? given : maskOpenFields(given)
  const whole = drawn(cards, reveal, view)
  if (fitsTable(whole.columns, whole.rows, view.width)) return tableText(whole.columns, whole.rows, view)
  // Links are the longest: they go below, where the terminal may break them and a copy is still whole.
  const rest = drawn(cards, reveal, view, 'LINK')
  const numbered = [{ title: '#', align: 'right' } as const, ...rest.columns]
  const rows = rest.rows.map((row, index) => [String(index + 1), ...row])
  if (!fitsTable(numbered, rows, view.width)) return tableText(whole.columns, whole.rows, view)
  const links = cards.map(({ link = '' }, index) =>
    link === '' ? '' : `${index + 1}  ${reveal ? safeText(link) : maskLink(link)}\n`,
  )
  return `${tableText(numbered, rows, view)}\n${sectionText('Links', links.join(''), view)}`
}

/** A line a product of which fewer cards came than were ordered. */
export const shortfallsText = (shortfalls: readonly Shortfall[], theme: Theme): string =>
  shortfalls
    .map(({ sku, ordered, received }) => {
      const came = received === 0 ? 'no card came' : `only ${received} came`
      return `${theme.bad('missing:')} ${safeText(sku)}: ${ordered} ordered, ${came}\n`
    })
    .join('')
