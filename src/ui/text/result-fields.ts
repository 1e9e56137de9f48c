// A kind of result, described once: a list of its fields. JSON, CSV (RFC 4180), tables, the TAB key, the check of --fields, help
// and the JSON Schema are made from it. Each name has one type in all results. Then renders JSON for stdout: exact numbers, and
// only the fields that `--fields a,b.c` names. A response is masked before. In CSV, a spreadsheet treats every cell as text.

import { writeJson } from '../../contract/json.ts'
import { formatDecimal, isDecimal, parseDecimal } from '../../contract/money/decimal.ts'
import { listEntries } from '../../contract/shape.ts'
import { Failure } from '../../errors.ts'
import type { CsvFormat } from '../../journal/tables/batches.ts'
import { sanitize, sanitizeJson } from '../terminal/text.ts'
import type { View } from '../terminal/view.ts'
import { formatIso } from './formats.ts'
import { type Cell, type ColumnLayout, type ColumnOf, renderTableOf } from './table.ts'

/** How a table and CSV show a field. */
type Shown<Row> = Omit<ColumnLayout, 'title'> & {
  /** The title of its column in a table. Without one, tables leave the field out. */
  readonly title?: string
  /** Default: the text of its value. */
  readonly cell?: (row: Row, view: View) => Cell | undefined
  /** Tables leave the column out if no row has a value. */
  readonly isOptional?: true
  /** The title of its column in CSV. Without one, CSV leaves the field out. */
  readonly csv?: string
  /** Its text in CSV. Default: the text of its value. */
  readonly csvText?: (row: Row) => string | undefined
}

/**
 * What JSON has for a field, or null: a text, one of some words, a time in UTC as ISO 8601, an exact number, a whole number, an object with
 * other fields, an object that leaves out fields without a value, a list, or an object that only its source describes.
 */
export type FieldType =
  | ('text' | 'time' | 'amount' | 'count' | 'flag' | 'object')
  | WordType
  | ListType
  | SparseType
  | ResultFields<never>
type WordType = { readonly words: readonly string[] }
type ListType = { readonly listOf: FieldType }
type SparseType = { readonly sparse: ResultFields<never>; readonly required: readonly string[] }

export const wordOf = (...words: readonly string[]): WordType => ({ words })

export const listOf = (each: FieldType): ListType => ({ listOf: each })

/** An error or an event, of which each kind has some of the fields. `required`: all kinds have these. */
export const sparse = <Row>(fields: ResultFields<Row>, ...required: readonly string[]) => ({
  sparse: fields,
  required,
})

/** `meaning`: for help and the JSON Schema. An undefined value is null. A field without a name is only a column. */
export type ResultField<Row> = readonly [
  name: string,
  type: FieldType,
  meaning: string,
  read: (row: Row) => unknown,
  shown?: Shown<Row>,
]

export type ResultFields<Row> = readonly ResultField<Row>[]

/** A field that a table or CSV shows. */
export const column = <Row>(...field: Required<ResultField<Row>>): ResultField<Row> => field

export const isList = (type: FieldType): type is ListType => typeof type === 'object' && 'listOf' in type

export const isSparse = (type: FieldType): type is SparseType => typeof type === 'object' && 'sparse' in type

export const isWordType = (type: FieldType): type is WordType => typeof type === 'object' && 'words' in type

const toValue = (type: FieldType, value: unknown): unknown => {
  if (value === undefined || value === null) return null
  if (isSparse(type)) return readSparse(type.sparse, value as never)
  if (typeof type === 'object' && !isWordType(type))
    return isList(type)
      ? (value as unknown[]).map((each) => toValue(type.listOf, each))
      : readFields(type, value as never)
  if (type === 'time') return formatIso(value as number | string)
  // A damaged amount is not known.
  if (type === 'amount') return typeof value === 'string' ? (parseDecimal(value) ?? null) : value
  return value
}

/** The result as JSON. */
export const readFields = <Row>(fields: ResultFields<Row>, row: Row): Readonly<Record<string, unknown>> =>
  Object.fromEntries(listNamed(fields).map(([name, type, , read]) => [name, toValue(type, read(row))]))

/** Without the fields that have no value. */
export const readSparse = <Row>(fields: ResultFields<Row>, row: Row): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(readFields(fields, row)).filter(([, value]) => value !== null))

export const listNamed = <Row>(fields: ResultFields<Row>) => fields.filter(([name]) => name !== '')

/** Fields that the row, or a part of it, has under the same names: their types and meanings. */
export const pick = <Row, Part>(
  read: (row: Row) => Part,
  fields: Readonly<Partial<Record<keyof Part & string, readonly [FieldType, string]>>>,
): ResultFields<Row> =>
  Object.entries<readonly [FieldType, string]>(fields as never).map(([name, [type, meaning]]) => [
    name,
    type,
    meaning,
    (row) => read(row)?.[name as keyof Part],
  ])

/** Fields that a row has under the same names. */
export const fieldsOf = <Name extends string>(
  fields: Readonly<Record<Name, readonly [FieldType, string]>>,
): ResultFields<{ readonly [Each in Name]?: unknown }> => pick((row) => row, fields)

/** Some of the fields, in their order. */
export const chooseFields = <Row>(fields: ResultFields<Row>, ...names: readonly string[]) =>
  fields.filter(([name]) => names.includes(name))

export const leaveOut = <Row>(fields: ResultFields<Row>, ...names: readonly string[]) =>
  fields.filter(([name]) => !names.includes(name))

export const listNames = (fields: ResultFields<never>): string[] => listNamed(fields).map(([name]) => name)

/** The fields of an object, or of the objects of a list. */
export const findInner = (type: FieldType): ResultFields<never> | undefined => {
  if (typeof type !== 'object' || isWordType(type)) return undefined
  if (isSparse(type)) return type.sparse
  return isList(type) ? findInner(type.listOf) : type
}

/** Every path that --fields takes, such as `cards.sku`. */
export const listPaths = (
  fields: ResultFields<never>,
  before = '',
): { readonly path: string; readonly type: FieldType; readonly meaning: string }[] =>
  listNamed(fields).flatMap(([name, type, meaning]) => {
    const path = before + name
    return [{ path, type, meaning }, ...listPaths(findInner(type) ?? [], `${path}.`)]
  })

/** The text of a field, for a table or CSV. */
const writeField = <Row>([, type, , read]: ResultField<Row>, row: Row): string => {
  const value = toValue(type, read(row))
  return isDecimal(value) ? formatDecimal(value) : String(value ?? '')
}

/** The columns of a kind of result, in the order of its fields. */
export const listColumns = <Row>(fields: ResultFields<Row>, rows: readonly Row[], view: View) =>
  fields.flatMap((field): ColumnOf<Row>[] => {
    const { title, cell, isOptional, ...layout } = field[4] ?? {}
    const isLeftOut = isOptional && rows.every((row) => writeField(field, row) === '')
    if (title === undefined || isLeftOut) return []
    return [[title, (row) => (cell === undefined ? writeField(field, row) : cell(row, view)), layout]]
  })

export const renderResults = <Row>(fields: ResultFields<Row>, rows: readonly Row[], view: View): string =>
  renderTableOf(listColumns(fields, rows, view), rows, view)

/** The steps of a path. */
export type FieldPath = readonly string[]

/** All values at the path, which may go through lists. The fields of null and of an empty list are unknown. */
const listAt = (value: unknown, path: FieldPath): unknown[] => {
  const [key, ...rest] = path
  if (key === undefined) return [value]
  if (value === null || (Array.isArray(value) && value.length === 0)) return [null]
  if (Array.isArray(value)) return value.flatMap((each) => listAt(each, path))
  const entry = listEntries(value)?.find(([name]) => name === key)
  return entry === undefined ? [] : listAt(entry[1], rest)
}

const hasPath = (value: unknown, path: FieldPath): boolean => listAt(value, path).length > 0

const listKeys = (value: unknown): string[] => {
  if (Array.isArray(value)) return [...new Set(value.flatMap(listKeys))]
  return (listEntries(value) ?? []).map(([key]) => key)
}

/** Names the part of the path that exists, and the fields that exist there. */
const unknownField = (value: unknown, path: FieldPath): Failure => {
  const count = path.findIndex((_, index) => !hasPath(value, path.slice(0, index + 1)))
  const found = path.slice(0, count)
  const parent = count === 0 ? '' : ` in '${sanitize(found.join('.'))}'`
  const keys = listKeys(listAt(value, found))
  return new Failure('usage', `--fields: no field '${sanitize(path.slice(count).join('.'))}'${parent}`, {
    field: '--fields',
    advice: keys.length === 0 ? undefined : `Choose from: ${keys.map(sanitize).join(', ')}`,
  })
}

/** Throws for a path that no result has, before the result is read. */
export const requireFields = (names: readonly string[], paths: readonly FieldPath[]): void => {
  const missing = paths.find(([name = '']) => !names.includes(name))
  if (missing !== undefined) throw unknownField(new Map(names.map((name) => [name, null])), missing)
}

const pickFields = (value: unknown, paths: readonly FieldPath[]): unknown => {
  if (paths.some((path) => path.length === 0)) return value
  if (Array.isArray(value)) return value.map((each) => pickFields(each, paths))
  const entries = listEntries(value)
  if (entries === undefined) return value
  const wanted = Map.groupBy(paths, ([key]) => key)
  const picked = new Map<string, unknown>()
  for (const [key, each] of entries) {
    const below = wanted.get(key)?.map(([, ...rest]) => rest)
    if (below !== undefined) picked.set(key, pickFields(each, below))
  }
  return picked
}

/** Keeps the order of the value, not of the paths. A path through a list applies to each item. */
const selectFields = (value: unknown, paths: readonly FieldPath[]): unknown => {
  const missing = paths.find((path) => !hasPath(value, path))
  if (missing !== undefined) throw unknownField(value, missing)
  return pickFields(value, paths)
}

type JsonView = {
  /** Default: all. */
  readonly fields?: readonly FieldPath[]
  /** For streams: one document a line. */
  readonly oneLine?: boolean
}

export const renderJson = (value: unknown, view: JsonView = {}): string => {
  const { fields, oneLine = false } = view
  const selected = fields === undefined ? value : selectFields(value, fields)
  return `${sanitizeJson(writeJson(selected, oneLine ? undefined : 2))}\n`
}

/** Keeps the order of the names: in an object, names such as `2026` would come first. An absent value is null. */
export const renderJsonLine = (names: readonly string[], values: readonly unknown[]): string => {
  const fields = names.map((name, index) => `${writeJson(name)}:${writeJson(values[index] ?? null)}`)
  return sanitizeJson(`{${fields.join(',')}}`).concat('\n')
}

// Where a formula may start, also in full width: a program that expects a different separator splits a cell at each one.
// An apostrophe there is escaped too, so that a reader can always remove exactly one.
const startsFormula = /(?=[=+\-@'＝＋－＠])(?<=(?:^|[,;\t\r\n])["\s]*)|^(?=[\t\r\n])/g

const escapeFormula = (text: string): string => text.replaceAll(startsFormula, "'")

// Every cell is quoted, so that other separators and leading or trailing spaces cannot change it.
const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`

// Amounts and phone numbers, which run nothing.
const isNumber = /^[+-][\d .,()/-]*$/

/** An absent cell is empty. The cells of `given` come first. Their numbers are left as the user wrote them. */
export const renderCsvLine = (
  cells: readonly (string | undefined)[],
  given: readonly (string | undefined)[] = [],
  { separator, lineEnd }: Pick<CsvFormat, 'separator' | 'lineEnd'> = { separator: ',', lineEnd: '\r\n' },
): string => {
  const added = cells.map((cell = '') => escapeFormula(cell))
  const kept = given.map((cell = '') => (isNumber.test(cell) ? cell : escapeFormula(cell)))
  return `${[...kept, ...added].map(quote).join(separator)}${lineEnd}`
}

/**
 * One line for each row, with the columns of the fields that CSV shows. On a terminal, no cell can control it. Files and
 * pipes get the exact text.
 */
export const renderResultsCsv = <Row>(
  fields: ResultFields<Row>,
  rows: readonly Row[],
  { isTerminal }: { readonly isTerminal: boolean },
): string => {
  const columns = fields.filter(([, , , , shown]) => shown?.csv !== undefined)
  const lines = rows.map((row) =>
    columns.map((field) => {
      const { csvText } = field[4] ?? {}
      return csvText === undefined ? writeField(field, row) : csvText(row)
    }),
  )
  return [columns.map(([, , , , shown]) => shown?.csv), ...lines]
    .map((cells) => renderCsvLine(isTerminal ? cells.map((cell = '') => sanitize(cell)) : cells))
    .join('')
}
