// A kind of result, described once: a list of its fields. JSON, CSV, tables, the TAB key, the check of --fields, help and the
// JSON Schema are made from it. Each name has one type in all results.
import { formatDecimal, isDecimal, parseDecimal } from '../../contract/money/decimal.ts'
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

const writeText = (value: unknown): string => (isDecimal(value) ? formatDecimal(value) : String(value ?? ''))

/** The text of a field, for a table or CSV. */
export const writeField = <Row>([, type, , read]: ResultField<Row>, row: Row): string =>
  writeText(toValue(type, read(row)))

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
