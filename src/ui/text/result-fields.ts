// A kind of result, described once: a list of its fields. JSON, CSV, tables, the TAB key and the check of --fields read it.
import { formatDecimal, isDecimal } from '../../contract/money/decimal.ts'
import { isObject } from '../../contract/shape.ts'
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

/** JSON shows an undefined value as null. */
export type ResultField<Row> = readonly [name: string, read: (row: Row) => unknown, shown?: Shown<Row>]

export type ResultFields<Row> = readonly ResultField<Row>[]

/** Fields that the row, or a part of it, has under the same names. */
export const pick = <Row, Part>(
  read: (row: Row) => Part,
  ...names: readonly (keyof Part & string)[]
): ResultFields<Row> => names.map((name) => [name, (row) => read(row)[name]])

/** The same for times in milliseconds. */
export const pickTimes = <Row, Name extends string>(
  read: (row: Row) => Readonly<Partial<Record<Name, number | undefined>>> | undefined,
  ...names: readonly Name[]
): ResultFields<Row> => names.map((name) => [name, (row) => formatIso(read(row)?.[name])])

/** In JSON, an undefined value would leave out its field. */
const writeNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(writeNulls)
  if (!isObject(value) || value instanceof Map) return value ?? null
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, writeNulls(each)]))
}

/** The result as JSON. */
export const readFields = <Row>(fields: ResultFields<Row>, row: Row): Readonly<Record<string, unknown>> =>
  Object.fromEntries(fields.map(([name, read]) => [name, writeNulls(read(row))]))

/** The names of a kind of result, for which the type of its rows does not matter. */
export const listNames = (fields: ResultFields<never>): string[] => fields.map(([name]) => name)

/** A value as text, for a table or CSV. */
export const writeText = (value: unknown): string =>
  isDecimal(value) ? formatDecimal(value) : String(value ?? '')

/** The columns of a kind of result, in the order of its fields. */
export const listColumns = <Row>(fields: ResultFields<Row>, rows: readonly Row[], view: View) =>
  fields.flatMap(([, read, { title, cell, isOptional, ...layout } = {}]): ColumnOf<Row>[] =>
    title === undefined || (isOptional && rows.every((row) => writeText(read(row)) === ''))
      ? []
      : [[title, (row) => (cell === undefined ? writeText(read(row)) : cell(row, view)), layout]],
  )

export const renderResults = <Row>(fields: ResultFields<Row>, rows: readonly Row[], view: View): string =>
  renderTableOf(listColumns(fields, rows, view), rows, view)
