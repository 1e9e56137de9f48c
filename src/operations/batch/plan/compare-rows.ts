// Finds the rows that differ between a saved batch and the rows given now.
import type { BatchRow, BatchRows } from './rows.ts'

export type RowDifference =
  | { readonly kind: 'changed'; readonly saved: BatchRow; readonly given: BatchRow }
  | { readonly kind: 'missing'; readonly saved: BatchRow }
  | { readonly kind: 'added'; readonly given: BatchRow }

export const compareRows = (saved: BatchRows, given: BatchRows) => {
  const savedColumns = listUsedColumns(saved)
  const givenColumns = listUsedColumns(given)
  const common = savedColumns.filter((name) => givenColumns.includes(name))
  /** Columns with values on one side only. The rows are compared by the other columns. */
  const columns = {
    missing: savedColumns.filter((name) => !givenColumns.includes(name)),
    added: givenColumns.filter((name) => !savedColumns.includes(name)),
  }
  const all = { saved: keyRows(saved, common), given: keyRows(given, common) }
  const sameContent = matchRows(all, 'content')
  // A row for the same person, or otherwise at the same line, was changed.
  const sameCells = matchRows(sameContent, 'cells')
  const sameLine = matchRows(sameCells, 'line')

  const changed = new Map([...sameCells.pairs, ...sameLine.pairs])
  const added = new Set(sameLine.given)
  /** In the order of the given rows; missing rows come last. */
  const rows = [
    ...all.given.flatMap((each): RowDifference[] => {
      const before = changed.get(each)
      if (before !== undefined) return [{ kind: 'changed', saved: before.row, given: each.row }]
      return added.has(each) ? [{ kind: 'added', given: each.row }] : []
    }),
    ...sameLine.saved.map(({ row }) => ({ kind: 'missing', saved: row }) as const),
  ]
  const isMoved = ({ content }: KeyedRow, index: number): boolean => content !== all.given[index]?.content
  return { columns, rows, isReordered: rows.length === 0 && all.saved.some(isMoved) }
}

/** The columns with a value in any row. */
const listUsedColumns = ({ columns, rows }: BatchRows): string[] =>
  columns.filter((_, index) => rows.some(({ cells }) => (cells[index] ?? '') !== ''))

/** A row, and the keys by which it is matched. A row without a key is not matched by it. */
type KeyedRow = {
  readonly row: BatchRow
  readonly content: string
  readonly cells: string | undefined
  readonly line: number | undefined
}

const keyRows = ({ columns, rows }: BatchRows, common: readonly string[]): KeyedRow[] => {
  const indexes = common.map((name) => columns.indexOf(name))
  return rows.map((row) => {
    const cells = indexes.map((index) => row.cells[index] ?? '')
    return {
      row,
      content: JSON.stringify([row.sku, row.productType, row.quote, row.quantity, cells]),
      cells: cells.every((cell) => cell === '') ? undefined : JSON.stringify(cells),
      line: row.line === 0 ? undefined : row.line,
    }
  })
}

type Unmatched = { readonly saved: readonly KeyedRow[]; readonly given: readonly KeyedRow[] }

/** Pairs rows with equal keys, the first with the first. Returns the pairs, and the rows that are left. */
const matchRows = ({ saved, given }: Unmatched, by: 'content' | 'cells' | 'line') => {
  // Reversed, because pop takes the last row.
  const waiting = Map.groupBy(saved.toReversed(), (row) => row[by])
  waiting.delete(undefined)
  const pairs: (readonly [given: KeyedRow, saved: KeyedRow])[] = []
  const left = given.filter((row) => {
    const match = waiting.get(row[by])?.pop()
    if (match !== undefined) pairs.push([row, match])
    return match === undefined
  })
  const matched = new Set(pairs.map(([, match]) => match))
  return { pairs, saved: saved.filter((row) => !matched.has(row)), given: left }
}

/** The lines of rows that are equal in every column, one list for each set of equal rows. Rows of flags have no lines. */
export const findEqualLines = (rows: BatchRows): number[][] => {
  const ofFile = keyRows(rows, rows.columns).filter(({ line }) => line !== undefined)
  return [...Map.groupBy(ofFile, ({ content }) => content).values()]
    .filter((equal) => equal.length > 1)
    .map((equal) => equal.map(({ row }) => row.line))
}
