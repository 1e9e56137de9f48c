// Files with cards and their codes, for redeem and batch export: the formats, of which each makes the parts of its file one after
// the other, and what a file has of an order.

import { type Decimal, formatDecimal, isDecimal } from '../../contract/money/decimal.ts'
import { type Card, findCards } from '../../contract/order/redeem-cards.ts'
import { findGeneratedId } from '../../contract/order/reference.ts'
import type { CsvFormat } from '../../journal/tables/batches.ts'
import { sanitize } from '../terminal/text.ts'
import { type LocalTime, themeFor } from '../terminal/view.ts'
import { renderCsvLine, renderJsonLine } from '../text/result-fields.ts'
import { renderFields } from '../text/table.ts'
import { formatValue, type OwnedCard } from './card-fields.ts'
import {
  type CardOrder,
  describeCardExpiry,
  type IssuerText,
  readIssuerTexts,
  renderIssuerText,
  type Sheet,
} from './cards.ts'

export type ExportedValue = string | number | Decimal | undefined

type CardLine = {
  readonly values: readonly ExportedValue[]
  /** What a CSV file has instead of the first values. Their numbers are left as they are. */
  readonly given?: readonly (string | undefined)[]
}

export type ExportedCards = {
  readonly title: string
  readonly columns: readonly string[]
  readonly csv?: CsvFormat | undefined
  readonly lines: () => Iterable<CardLine>
  readonly sheets: () => Iterable<Sheet>
}

type ExportFormat = {
  /** Prints each card with the texts of its issuer. The others have a line for each card, also for one without a code. */
  readonly isPrinted: boolean
  readonly render: (exported: ExportedCards, here: LocalTime) => Iterable<string | Uint8Array>
}

const width = 80

/** Then each text of the issuers, once. */
function* renderCardList(title: string, sheets: Iterable<Sheet>, here: LocalTime): Generator<string> {
  const view = { ...here, width, theme: themeFor({ colour: false }) }
  const texts = new Map<string, IssuerText>()
  yield `${sanitize(title)}\n`
  for (const { card, number, name, recipient, texts: theirs } of sheets) {
    const { sku, code, pin, serial, link } = card
    const what = [name, sku === name ? '' : sku, formatValue(card)].filter(Boolean).map(sanitize).join(', ')
    const expires = describeCardExpiry(card, here)
    const fields = {
      For: recipient?.trim() || undefined,
      Code: code,
      PIN: pin,
      Serial: serial,
      Link: link,
      Expires: expires,
    }
    const shown = Object.entries(fields).map(([label, text]) => [label, text && sanitize(text)] as const)
    yield `\n${number}. ${what}\n${renderFields(shown, view)}`
    for (const text of theirs) texts.set(JSON.stringify(text), text)
  }
  for (const text of texts.values()) yield `\n${renderIssuerText(text, view)}`
}

const loaders = {
  csv: (): ExportFormat => ({
    isPrinted: false,
    *render({ columns, csv, lines }) {
      // Without a mark: most programs would read it as part of the first column's name.
      if (csv?.hasMark) yield '\uFEFF'
      yield renderCsvLine(columns, [], csv)
      for (const { values, given = [] } of lines())
        yield renderCsvLine(values.slice(given.length).map(formatCell), given, csv)
    },
  }),
  jsonl: (): ExportFormat => ({
    isPrinted: false,
    *render({ columns, lines }) {
      for (const { values } of lines()) yield renderJsonLine(columns, values)
    },
  }),
  xlsx: async (): Promise<ExportFormat> => {
    const { renderWorkbook } = await import('./workbook.ts')
    // Everything else is text, such as 0049 or a code of 16 digits.
    const toCell = (value: ExportedValue) => {
      const text = formatCell(value)
      return text === undefined || typeof value === 'string' ? text : { number: text }
    }
    function* listRows({ columns, lines }: ExportedCards) {
      yield columns
      for (const { values } of lines()) yield values.map(toCell)
    }
    return { isPrinted: false, render: (exported) => renderWorkbook(listRows(exported)) }
  },
  html: async (): Promise<ExportFormat> => {
    const { renderSheets } = await import('./sheet.ts')
    return { isPrinted: true, render: ({ title, sheets }, here) => renderSheets(title, sheets(), here) }
  },
  txt: (): ExportFormat => ({
    isPrinted: true,
    render: ({ title, sheets }, here) => renderCardList(title, sheets(), here),
  }),
}

/** Loads the modules of the format. Call it before codes are read. */
export const loadFormat = async (ending: keyof typeof loaders): Promise<ExportFormat> => loaders[ending]()

export const formatCell = (value: ExportedValue): string | undefined =>
  isDecimal(value) ? formatDecimal(value) : value?.toString()

export const codeColumns = ['redeem_with', 'code', 'pin', 'serial', 'link', 'expires']

export const readCodes = ({ code, pin, serial, link, expires }: Partial<Card> = {}): ExportedValue[] => [
  code || pin || link,
  ...[code, pin, serial, link, expires],
]

export const exportOrder = (order: CardOrder): ExportedCards => {
  const { uid, reference, products } = order
  const listed: readonly OwnedCard[] = order.cards ?? findCards(order.redeem)
  const cards = listed.map((card, index) => ({ number: index + 1, ...card }))
  const { cardCount = cards.length } = order
  const nameOf = (sku: string) => products.get(sku)?.shopItem.name
  // A generated reference means nothing to people.
  const known = findGeneratedId(reference) === undefined ? [reference] : []
  return {
    title: ['Cards', ...known].join(' '),
    columns: 'order_id,reference,sku,card,name,value,currency,row'.split(',').concat(codeColumns),
    lines: () =>
      cards.map(({ number, sku, value, currency, row, ...card }) => ({
        values: [uid, reference, sku, number, nameOf(sku), value, currency, row, ...readCodes(card)],
      })),
    sheets: () => {
      const texts = readIssuerTexts(order.redeem)
      return cards.map((card) => ({
        card,
        number: card.number,
        texts: texts.filter(({ sku }) => sku === card.sku),
        name: nameOf(card.sku) ?? card.sku,
        footer: [...known, `card ${card.number} of ${cardCount}`].join(' · '),
        recipient: card.row,
      }))
    },
  }
}
