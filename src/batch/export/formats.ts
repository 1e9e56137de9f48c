// The formats of an exported batch. Each makes the parts of its file one after the other.

import { type Decimal, formatDecimal, isDecimal, parseDecimal } from '../../contract/money/decimal.ts'
import type { Card } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Batch, StoredRow } from '../../journal/batches/batches.ts'
import type { HeaderColumn } from '../../journal/tables/batches.ts'
import type { IssuerText } from '../../ui/cards/cards.ts'
import type { LocalTime } from '../../ui/terminal/view.ts'
import type { CollectedCard } from '../buy/collect-cards.ts'

export type ExportedCard = {
  readonly card: Card
  /** Only for a format that prints them. */
  readonly print?: { readonly name: string; readonly texts: readonly IssuerText[] }
}

export type ExportedBatch = {
  readonly batch: Batch
  readonly rows: readonly StoredRow[]
  readonly cards: readonly CollectedCard<ExportedCard>[]
}

export type ExportFormat = {
  readonly keepCards: (order: Order) => (card: Card) => ExportedCard
  /** Whether the file has a line for a card without a code. */
  readonly hasAllCards: boolean
  /** `recipient`: the index of the column with the names of the recipients. */
  render(
    exported: ExportedBatch,
    here: LocalTime,
    recipient: number | undefined,
  ): Iterable<string | Uint8Array>
}

const lines = { keepCards: () => (card: Card) => ({ card }), hasAllCards: true }

const loadCsv = async (): Promise<ExportFormat> => {
  const { renderCsvLine } = await import('../../ui/cards/csv.ts')
  function* render(exported: ExportedBatch) {
    const { header, format } = exported.batch
    if (format?.hasMark) yield '\uFEFF'
    yield renderCsvLine(addedColumns, nameColumns(header), format)
    for (const { cells, given, added } of listLines(exported)) {
      const texts = cells.map((cell, index) => given.get(index) ?? formatValue(cell))
      yield renderCsvLine(added.map(formatValue), texts, format)
    }
  }
  return { ...lines, render }
}

const loadJsonLines = async (): Promise<ExportFormat> => {
  const { renderJsonLine } = await import('../../ui/text/json.ts')
  function* render(exported: ExportedBatch) {
    const names = [...nameColumns(exported.batch.header), ...addedColumns]
    for (const { cells, added } of listLines(exported)) yield renderJsonLine(names, [...cells, ...added])
  }
  return { ...lines, render }
}

const loadWorkbook = async (): Promise<ExportFormat> => {
  const { renderWorkbook } = await import('./workbook.ts')
  function* listRows({ batch, ...exported }: ExportedBatch) {
    yield [...nameColumns(batch.header), ...addedColumns]
    // The quote and the quantity are numbers. Everything else is text, such as 0049 or a code of 16 digits.
    const isNumber = batch.header.map(({ field }) => field === 'quote' || field === 'quantity')
    for (const { cells, added } of listLines({ batch, ...exported })) {
      const values = cells.map(formatValue)
      const kept = values.map((value, index) =>
        isNumber[index] && value !== undefined ? { number: value } : value,
      )
      yield [...kept, ...added.map(formatValue)]
    }
  }
  return { ...lines, render: (exported) => renderWorkbook(listRows(exported)) }
}

const loadHtml = async (): Promise<ExportFormat> => {
  const [{ renderSheets }, { readIssuerTexts }] = await Promise.all([
    import('../../ui/cards/sheet.ts'),
    import('../../ui/cards/cards.ts'),
  ])
  function* listSheets({ batch, rows, cards }: ExportedBatch, recipient: number | undefined) {
    for (const [index, { kept, row }] of cards.entries()) {
      if (kept?.print === undefined) continue
      yield {
        card: kept.card,
        ...kept.print,
        footer: `${batch.name} · card ${index + 1} of ${cards.length}`,
        recipient: recipient === undefined ? undefined : rows[row]?.cells[recipient],
      }
    }
  }
  /** Orders of the same product have the same texts, which are kept once. */
  const known = new Map<string, readonly IssuerText[]>()
  return {
    keepCards: ({ redeem, products }) => {
      const bySku = Map.groupBy(readIssuerTexts(redeem), ({ sku }) => sku)
      return (card) => {
        const { sku } = card
        const key = JSON.stringify([sku, bySku.get(sku)])
        const texts = known.get(key) ?? bySku.get(sku) ?? []
        known.set(key, texts)
        return { card, print: { name: products.get(sku)?.shopItem.name ?? sku, texts } }
      }
    },
    hasAllCards: false,
    render: (exported, here, recipient) =>
      renderSheets(`Cards ${exported.batch.name}`, listSheets(exported, recipient), here),
  }
}

/** The loaders by file extension. Each loads the modules of its format. Call it before codes are read. */
export const formatLoaders: ReadonlyMap<string, () => Promise<ExportFormat>> = new Map([
  ['.csv', loadCsv],
  ['.xlsx', loadWorkbook],
  ['.jsonl', loadJsonLines],
  ['.html', loadHtml],
])

type Value = string | number | Decimal | undefined

const formatValue = (value: Value): string | undefined =>
  isDecimal(value) ? formatDecimal(value) : value?.toString()

const addedColumns = [
  ...['order_id', 'reference', 'state', 'error', 'redeem_with', 'code', 'pin', 'serial', 'link', 'expires'],
]

/** An input column with the name of another column gets a prefix, so that each name is unique. */
const nameColumns = (header: Batch['header']): readonly string[] => {
  const columns = header.map(({ name }) => name)
  return columns.map((column) => {
    let name = column
    while (addedColumns.includes(name) || (name !== column && columns.includes(name))) name = `input_${name}`
    return name
  })
}

export const isLost = ({ outcome, kept }: CollectedCard<ExportedCard>): boolean =>
  outcome === 'delivered' && kept === undefined

/** Yields a line for each card: the values of the input's columns, as the user wrote them, and the result. */
function* listLines({ batch, rows, cards }: ExportedBatch) {
  const sources = batch.header.map(({ name, field }) => field ?? batch.columns.indexOf(name))
  const fields = [...sources.keys()].filter((index) => typeof sources[index] === 'string')
  for (const each of cards) {
    const { outcome, order, kept } = each
    const row = rows[each.row]
    const error = isLost(each) ? 'the service no longer shows this card' : each.error
    const { code, pin, serial, link, expires } = kept?.card ?? {}
    yield {
      cells: sources.map((source) => row && readCell(row, source)),
      given: new Map(fields.map((column, index) => [column, row?.given?.[index]])),
      added: [
        order?.orderId,
        order?.reference,
        outcome,
        error,
        code || pin || link,
        code,
        pin,
        serial,
        link,
        expires,
      ],
    }
  }
}

const readCell = (row: StoredRow, source: HeaderColumn['field'] | number): Value => {
  if (typeof source === 'number') return row.cells[source]
  return source === 'quote' ? (parseDecimal(row.quote) ?? row.quote) : source && row[source]
}
