// The formats of an exported batch. Each makes the parts of its file one after the other.
import path from 'node:path'
import { type Decimal, formatDecimal, isDecimal, parseDecimal } from '../../../contract/decimal.ts'
import type { Card } from '../../../contract/redeem-cards.ts'
import type { Order } from '../../../contract/schemas.ts'
import type { Batch, HeaderColumn, StoredRow } from '../../../journal/batches/batch.ts'
import type { CollectedCard } from '../../../operations/batch/collect-cards.ts'
import type { IssuerText } from '../../../ui/cards/instructions.ts'
import type { Here } from '../../../ui/terminal/view.ts'

export type ExportFormat = {
  readonly keepCards: KeepCards
  /** Whether the file has a line for a card without a code. */
  readonly hasAllCards: boolean
  render(exported: ExportedBatch, options: RenderOptions): Iterable<string>
}

type RenderOptions = {
  readonly here: Here
  /** The index of the column with the names of the recipients. */
  readonly recipient: number | undefined
}

const endings = ['.csv', '.jsonl', '.html'] as const
export type Ending = (typeof endings)[number]

export const endingNames = `${endings.slice(0, -1).join(', ')} or ${endings.at(-1)}`

export const findEnding = (file: string): Ending | undefined =>
  endings.find((ending) => ending === path.extname(file).toLowerCase())

/** Loads what the format needs. Call it before codes are read. */
export const loadFormat = (ending: Ending): Promise<ExportFormat> => loaders[ending]()

const loadCsv = async (): Promise<ExportFormat> => {
  const { renderCsvLine } = await import('../../../ui/cards/csv.ts')
  function* render(exported: ExportedBatch) {
    const { header, format } = exported.batch
    const names = nameColumns(header.map(({ name }) => name))
    if (format?.hasMark) yield '\uFEFF'
    yield renderCsvLine(addedColumns, names, format)
    for (const { row, cells, added } of listLines(exported)) {
      const given = cells.map((cell, index) => readGiven(row, header, index) ?? formatValue(cell))
      yield renderCsvLine(added.map(formatValue), given, format)
    }
  }
  return { keepCards, hasAllCards: true, render }
}

const loadJsonLines = async (): Promise<ExportFormat> => {
  const { renderJsonLine } = await import('../../../ui/text/json.ts')
  function* render(exported: ExportedBatch) {
    const names = [...nameColumns(exported.batch.header.map(({ name }) => name)), ...addedColumns]
    for (const { cells, added } of listLines(exported)) yield renderJsonLine(names, [...cells, ...added])
  }
  return { keepCards, hasAllCards: true, render }
}

const loadHtml = async (): Promise<ExportFormat> => {
  const [{ renderSheets }, { readIssuerTexts }] = await Promise.all([
    import('../../../ui/cards/sheet.ts'),
    import('../../../ui/cards/instructions.ts'),
  ])
  function* listSheets({ batch, rows, cards }: ExportedBatch, recipient: number | undefined) {
    for (const [index, { kept, row }] of cards.entries()) {
      if (kept?.print === undefined) continue
      const { card, print } = kept
      const place = `card ${index + 1} of ${cards.length}`
      yield {
        card,
        ...print,
        footer: `${batch.name} · ${place}`,
        recipient: recipient === undefined ? undefined : rows[row]?.cells[recipient],
      }
    }
  }
  return {
    keepCards: createSheetKeeper(readIssuerTexts),
    hasAllCards: false,
    render: (exported, { here, recipient }) =>
      renderSheets(`Cards ${exported.batch.name}`, listSheets(exported, recipient), here),
  }
}

const loaders: Readonly<Record<Ending, () => Promise<ExportFormat>>> = {
  '.csv': loadCsv,
  '.jsonl': loadJsonLines,
  '.html': loadHtml,
}

export type ExportedBatch = {
  readonly batch: Batch
  readonly rows: readonly StoredRow[]
  readonly cards: readonly CollectedCard<ExportedCard>[]
}

type Value = string | number | Decimal | undefined

const addedColumns = ['order_id', 'reference', 'state', 'error', 'code', 'pin', 'serial', 'link', 'expires']
const ownNames = new Set(addedColumns)

/** An input column with the name of another column gets a prefix, so that each name is unique. */
const nameColumns = (columns: readonly string[]): readonly string[] => {
  return columns.map((column) => {
    let name = column
    while (ownNames.has(name) || (name !== column && columns.includes(name))) name = `input_${name}`
    return name
  })
}

export const isLost = ({ outcome, kept }: CollectedCard<ExportedCard>): boolean =>
  outcome === 'delivered' && kept === undefined

type Line = {
  readonly row: StoredRow | undefined
  /** The values of the columns of the input. */
  readonly cells: readonly Value[]
  readonly added: readonly Value[]
}

function* listLines({ batch, rows, cards }: ExportedBatch): Generator<Line> {
  const sources = batch.header.map(({ name, field }) => field ?? batch.columns.indexOf(name))
  for (const each of cards) {
    const { outcome, order, kept } = each
    const row = rows[each.row]
    const cells = sources.map((source) => row && readCell(row, source))
    const error = isLost(each) ? 'the service no longer shows this card' : each.error
    const { code, pin, serial, link, expires } = kept?.card ?? {}
    const added = [order?.orderId, order?.reference, outcome, error, code, pin, serial, link, expires]
    yield { row, cells, added }
  }
}

const readCell = (row: StoredRow, column: HeaderColumn['field'] | number): Value => {
  if (typeof column === 'number') return row.cells[column]
  return column === 'quote' ? (parseDecimal(row.quote) ?? row.quote) : column && row[column]
}

/** The text of a field as the user wrote it, such as 12.50. Undefined if it is that of its value. */
const readGiven = (row: StoredRow | undefined, header: Batch['header'], index: number): string | undefined =>
  header[index]?.field === undefined
    ? undefined
    : row?.given?.[header.slice(0, index).filter(({ field }) => field !== undefined).length]

const formatValue = (value: Value): string | undefined => {
  if (isDecimal(value)) return formatDecimal(value)
  return value === undefined ? undefined : String(value)
}

export type ExportedCard = {
  readonly card: Card
  /** Only for a format that prints them. */
  readonly print?: { readonly name: string; readonly texts: readonly IssuerText[] }
}

export type KeepCards = (order: Order) => (card: Card) => ExportedCard

const keepCards: KeepCards = () => (card) => ({ card })

/** Orders of the same product have the same texts, which are kept once. */
const createSheetKeeper = (readIssuerTexts: (redeem: unknown) => readonly IssuerText[]): KeepCards => {
  const known = new Map<string, readonly IssuerText[]>()
  return ({ redeem, products }) => {
    const bySku = Map.groupBy(readIssuerTexts(redeem), ({ sku }) => sku)
    return (card) => {
      const { sku } = card
      const key = JSON.stringify([sku, bySku.get(sku)])
      const texts = known.get(key) ?? bySku.get(sku) ?? []
      known.set(key, texts)
      return { card, print: { name: products.get(sku)?.shopItem.name ?? sku, texts } }
    }
  }
}
