// Finds the rows that differ between a saved batch and the rows given now.
import { type BatchRow, type BatchRows, createQuoteFormatter } from './rows.ts'

export type RowDifference =
  | { readonly kind: 'changed'; readonly saved: BatchRow; readonly given: BatchRow }
  | { readonly kind: 'missing'; readonly saved: BatchRow }
  | { readonly kind: 'added'; readonly given: BatchRow }

export type RowsComparison = {
  /** Columns with a value that only one side has. The rows are compared by the other columns. */
  readonly columns: { readonly missing: readonly string[]; readonly added: readonly string[] }
  /** In the order of the given rows; missing rows come last. */
  readonly rows: readonly RowDifference[]
  /** The rows are the same, but in another order. */
  readonly isReordered: boolean
}

export const compareRows = (saved: BatchRows, given: BatchRows): RowsComparison => {
  const savedColumns = listUsedColumns(saved)
  const givenColumns = listUsedColumns(given)
  const common = savedColumns.filter((name) => givenColumns.includes(name))
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

  const changed = [...sameCells.pairs, ...sameLine.pairs].map(
    (pair) => ({ kind: 'changed', ...pair }) as const,
  )
  const added = sameLine.given.map((row) => ({ kind: 'added', given: row }) as const)
  const missing = sameLine.saved.map((row) => ({ kind: 'missing', saved: row }) as const)
  const positions = new Map(given.rows.map((row, index) => [row, index]))
  const positionOf = ({ given: row }: { given: BatchRow }): number => positions.get(row) ?? 0
  return {
    columns,
    rows: [...[...changed, ...added].sort((one, other) => positionOf(one) - positionOf(other)), ...missing],
    isReordered:
      changed.length + added.length + missing.length === 0 &&
      saved.rows.some((row, index) => readSaved.all(row) !== readGiven.all(given.rows[index] as BatchRow)),
  }
}

const readLine = ({ line }: BatchRow): string | undefined => (line === 0 ? undefined : String(line))

/** The columns that have a value in some row. */
const listUsedColumns = ({ columns, rows }: BatchRows): string[] =>
  columns.filter((_, index) => rows.some(({ cells }) => (cells[index] ?? '') !== ''))

const createContentReader = ({ columns }: BatchRows, common: readonly string[]) => {
  const formatQuote = createQuoteFormatter()
  const indexes = common.map((name) => columns.indexOf(name))
  const readCells = ({ cells }: BatchRow): string[] => indexes.map((index) => cells[index] ?? '')
  return {
    all: (row: BatchRow): string =>
      JSON.stringify([row.sku, row.productType, formatQuote(row.quote), row.quantity, readCells(row)]),
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
  const waiting = new Map<string, BatchRow[]>()
  // Reversed, because pop takes the last row.
  for (const row of saved.toReversed()) {
    const key = readSavedKey(row)
    if (key === undefined) continue
    const rows = waiting.get(key)
    if (rows === undefined) waiting.set(key, [row])
    else rows.push(row)
  }
  const pairs: { readonly saved: BatchRow; readonly given: BatchRow }[] = []
  const matched = new Set<BatchRow>()
  const left = given.filter((row) => {
    const key = readGivenKey(row)
    const match = key === undefined ? undefined : waiting.get(key)?.pop()
    if (match === undefined) return true
    matched.add(match)
    pairs.push({ saved: match, given: row })
    return false
  })
  return { pairs, saved: saved.filter((row) => !matched.has(row)), given: left }
}

/** The lines of rows that are equal in every column, one list for each set of equal rows. Rows of flags have no lines. */
export const findEqualLines = (rows: BatchRows): number[][] => {
  const { all } = createContentReader(rows, rows.columns)
  const ofFile = rows.rows.filter(({ line }) => line > 0)
  return Map.groupBy(ofFile, all)
    .values()
    .filter((equal) => equal.length > 1)
    .map((equal) => equal.map(({ line }) => line))
    .toArray()
}
