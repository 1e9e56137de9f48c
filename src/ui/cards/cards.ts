// Renders the cards of an order: as a table, in which codes are masked unless they are revealed, and as plain text.
import { dayMs } from '../../contract/duration.ts'
import { type Card, findCards, type Shortfall } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { createCodeMasker, maskCode, maskLink } from '../masking/mask-codes.ts'
import { maskText } from '../masking/mask-text.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Here, type Theme, themeFor, type View } from '../terminal/view.ts'
import { formatMoney, formatNumber } from '../text/amounts.ts'
import { renderFields, renderSection } from '../text/fields.ts'
import { type Cell, type Column, fitsTable, renderTable } from '../text/table.ts'
import { formatDate, formatRelative, toInstant } from '../text/time.ts'
import { renderInstructions } from './instructions.ts'

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

export type CardOrder = Pick<Order, 'uid' | 'reference' | 'products' | 'redeem'>

/** The value for the QR code. A link comes first, because a camera can open it. */
export const scannable = ({ link, code, pin }: Card): string | undefined => link ?? code ?? pin

// Spec silent: an empty date means that the card never expires.
export const describeExpiry = ({ expires }: Card, here: Here): string | undefined => {
  if (expires === undefined || expires === '') return expires === '' ? 'never' : undefined
  const at = toInstant(expires)
  return `${formatDate(expires, here)}${at !== undefined && at <= here.now ? ' (expired)' : ''}`
}

const width = 80

export const renderCardList = (order: CardOrder, here: Here): string => {
  const view = { ...here, width, theme: themeFor({ colour: false }) }
  const cards = findCards(order.redeem)
  const texts = cards.map((card, index) => {
    const { sku, code, pin, serial, link } = card
    const name = order.products.get(sku)?.shopItem.name
    const title = [name, sku, formatValue(card)].filter((part) => part !== undefined && part !== '')
    const fields = [
      ['Code', code],
      ['PIN', pin],
      ['Serial', serial],
      ['Link', link],
      ['Expires', describeExpiry(card, here)],
    ] as const
    return `${index + 1}. ${title.map((part) => sanitize(part ?? '')).join(', ')}\n${renderFields(
      fields.map(([label, text]) => [label, text && sanitize(text)]),
      view,
    )}`
  })
  const heading = `Order ${sanitize(order.uid)}: ${cards.length} ${cards.length === 1 ? 'card' : 'cards'}\n`
  return [heading, ...texts, renderInstructions(order.redeem, true, view)]
    .filter((part) => part !== '')
    .join('\n')
}
