// What a file has of a batch: the columns of its rows and of the cards, and a sheet for each card.

import { parseDecimal } from '../../contract/money/decimal.ts'
import type { Card } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Batch, StoredRow } from '../../journal/batches/batches.ts'
import type { HeaderColumn } from '../../journal/tables/batches.ts'
import { type IssuerText, readIssuerTexts } from '../../ui/cards/cards.ts'
import {
  codeColumns,
  type ExportedCards,
  type ExportedValue,
  formatCell,
  readCodes,
} from '../../ui/cards/export.ts'
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

type KeepCards = (order: Order) => (card: Card) => ExportedCard

/** Orders of the same product have the same texts, which are kept once. */
export const createKeeper = (isPrinted: boolean): KeepCards => {
  const known = new Map<string, readonly IssuerText[]>()
  if (!isPrinted) return () => (card) => ({ card })
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

/** `recipient`: the index of the column with the names of the recipients. */
export const toExportedCards = (exported: ExportedBatch, recipient: number | undefined): ExportedCards => {
  const { batch, rows, cards } = exported
  function* listSheets() {
    for (const [index, { kept, row }] of cards.entries()) {
      if (kept?.print === undefined) continue
      yield {
        card: kept.card,
        number: index + 1,
        ...kept.print,
        footer: `${batch.name} · card ${index + 1} of ${cards.length}`,
        recipient: recipient === undefined ? undefined : rows[row]?.cells[recipient],
      }
    }
  }
  return {
    title: `Cards ${batch.name}`,
    columns: [...nameColumns(batch.header), ...addedColumns],
    csv: batch.format,
    lines: () => listLines(exported),
    sheets: listSheets,
  }
}

const addedColumns = ['order_id', 'reference', 'state', 'error', ...codeColumns]

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
    const cells = sources.map((source) => row && readCell(row, source))
    const given = new Map(fields.map((column, index) => [column, row?.given?.[index]]))
    yield {
      values: [...cells, order?.orderId, order?.reference, outcome, error, ...readCodes(kept?.card)],
      given: cells.map((cell, index) => given.get(index) ?? formatCell(cell)),
    }
  }
}

const readCell = (row: StoredRow, source: HeaderColumn['field'] | number): ExportedValue => {
  if (typeof source === 'number') return row.cells[source]
  return source === 'quote' ? (parseDecimal(row.quote) ?? row.quote) : source && row[source]
}
