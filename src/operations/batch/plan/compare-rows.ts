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
  const readSaved = createContentReader(saved, common)
  const readGiven = createContentReader(given, common)

  const sameContent = matchRows(saved.rows, given.rows, readSaved.all, readGiven.all)
  // A row for the same person, or otherwise at the same line, was changed.
  const sameCells = matchRows(sameContent.saved, sameContent.given, readSaved.cells, readGiven.cells)
  const sameLine = matchRows(sameCells.saved, sameCells.given, readLine, readLine)

  const changed = new Map([...sameCells.pairs, ...sameLine.pairs].map((pair) => [pair.given, pair]))
  const added = new Set(sameLine.given)
  /** In the order of the given rows; missing rows come last. */
  const rows = [
    ...given.rows.flatMap((row): RowDifference[] => {
      const pair = changed.get(row)
      if (pair !== undefined) return [{ kind: 'changed', ...pair }]
      return added.has(row) ? [{ kind: 'added', given: row }] : []
    }),
    ...sameLine.saved.map((row) => ({ kind: 'missing', saved: row }) as const),
  ]
  const isSame = (row: BatchRow, index: number): boolean =>
    readSaved.all(row) === readGiven.all(given.rows[index] as BatchRow)
  return { columns, rows, isReordered: rows.length === 0 && !saved.rows.every(isSame) }
}

const readLine = ({ line }: BatchRow): string | undefined => (line === 0 ? undefined : String(line))

/** The columns with a value in any row. */
const listUsedColumns = ({ columns, rows }: BatchRows): string[] =>
  columns.filter((_, index) => rows.some(({ cells }) => (cells[index] ?? '') !== ''))

const createContentReader = ({ columns }: BatchRows, common: readonly string[]) => {
  const indexes = common.map((name) => columns.indexOf(name))
  const readCells = ({ cells }: BatchRow): string[] => indexes.map((index) => cells[index] ?? '')
  return {
    all: (row: BatchRow): string =>
      JSON.stringify([row.sku, row.productType, row.quote, row.quantity, readCells(row)]),
    /** Undefined for a row without a value in these columns. */
    cells: (row: BatchRow): string | undefined => {
      const cells = readCells(row)
      return cells.every((cell) => cell === '') ? undefined : JSON.stringify(cells)
    },
  }
}

type KeyReader = (row: BatchRow) => string | undefined

/** Pairs rows with equal keys, the first with the first. Returns the pairs, and the rows that are left. */
const matchRows = (
  saved: readonly BatchRow[],
  given: readonly BatchRow[],
  readSavedKey: KeyReader,
  readGivenKey: KeyReader,
) => {
  // Reversed, because pop takes the last row.
  const waiting = Map.groupBy(saved.toReversed(), readSavedKey)
  waiting.delete(undefined)
  const pairs: { readonly saved: BatchRow; readonly given: BatchRow }[] = []
  const left = given.filter((row) => {
    const match = waiting.get(readGivenKey(row))?.pop()
    if (match !== undefined) pairs.push({ saved: match, given: row })
    return match === undefined
  })
  const matched = new Set(pairs.map((pair) => pair.saved))
  return { pairs, saved: saved.filter((row) => !matched.has(row)), given: left }
}

/** The lines of rows that are equal in every column, one list for each set of equal rows. Rows of flags have no lines. */
export const findEqualLines = (rows: BatchRows): number[][] => {
  const ofFile = rows.rows.filter(({ line }) => line > 0)
  return [...Map.groupBy(ofFile, createContentReader(rows, rows.columns).all).values()]
    .filter((equal) => equal.length > 1)
    .map((equal) => equal.map(({ line }) => line))
}
