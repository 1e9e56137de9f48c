// Reads a row of the journal. A damaged column does not hide the others: it is reported and gets a value that cannot
// lead to a second purchase.

import { parseProducts } from '../../contract/order/ordered-products.ts'
import { foldReference } from '../../contract/order/reference.ts'
import type { Access, DamagedRow } from '../access.ts'
import type { Row as StoredRow, Values } from '../database/database.ts'
import { orders } from '../tables/orders.ts'
import { type Column, count, flag, isAmount, isText, isTime, type Table, time } from '../tables/table.ts'
import type { Call, Damage, Entry } from './entry.ts'
import { isRequest } from './products.ts'

type Columns = Pick<Table, 'columns'>

/** Columns that queries compute. */
const computed: Table['columns'] = { count, is_own: flag, database_now: time }

/** What replaces a word that the column does not allow: it assumes that the call may have spent. */
const cautious = new Map<string, string | null>([
  ['operation', 'confirm'],
  ['outcome', 'unknown'],
  ['standing', 'confirming'],
  ['void_reason', 'expired'],
  ['result', null],
  ['placed_with', 'mcp'],
  ['settled', null],
  ['decision', null],
])

/** What replaces NULL: an undamaged row never has NULL in such a column. */
const readNull = (name: string, column: Column): string | number | null => {
  const isRequired = column.isNotNull === true || column.generatedAs !== undefined
  if (!isRequired || column.only !== undefined) return null
  return isText(column) ? (cautious.get(name) ?? '?') : Number.NaN
}

const readInteger = (value: unknown): number =>
  typeof value === 'bigint' || typeof value === 'number' ? Number(value) : Number.NaN

/** Null if it is damaged, because it may be any amount. */
const readMillionths = (value: unknown): bigint | null =>
  typeof value === 'bigint' && value >= 0n ? value : null

const toText = (value: unknown): string =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)

const readJson = (text: unknown, { read }: NonNullable<Column['json']>): unknown => {
  try {
    return read(JSON.parse(toText(text)))
  } catch {
    return undefined
  }
}

/** The text, or the value that replaces it. */
const readText = (name: string, value: unknown, { words }: Column): string | null => {
  const text = toText(value)
  const replacement = cautious.get(name)
  return replacement === undefined || words?.includes(text) ? text : replacement
}

const isSound = (stored: unknown, value: string | number | bigint | null, { type }: Column): boolean => {
  if (stored === null || typeof value !== 'number') return value === stored
  return type === 'time' ? isTime(value) : Number.isSafeInteger(value)
}

const fieldNames = new Map<string, string>()

/** Remembers each name: a batch may have many thousand rows. */
const toFieldName = (column: string): string => {
  const known = fieldNames.get(column)
  if (known !== undefined) return known
  const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  fieldNames.set(column, name)
  return name
}

const readValue = (name: string, stored: unknown, column: Column): string | number | bigint | null => {
  if (stored === null) return readNull(name, column)
  if (column.type === 'millionths') return readMillionths(stored)
  return isText(column) ? readText(name, stored, column) : readInteger(stored)
}

/** Converts column names to camel case. Omits NULL values, and columns that are not of the table. */
export const fromRow = <Value>(row: StoredRow, { columns }: Columns = orders): Value & Damage => {
  const fields: Record<string, unknown> = {}
  const damage: string[] = []
  for (const name in row) {
    const stored = row[name]
    const column = columns[name] ?? computed[name]
    if (column === undefined) continue
    if (column.json !== undefined && (stored !== null || column.isNotNull)) {
      const value = readJson(stored, column.json)
      if (value === undefined) damage.push(name)
      fields[toFieldName(name)] = value ?? column.json.damaged
      continue
    }
    const value = readValue(name, stored, column)
    if (value !== null) fields[toFieldName(name)] = value
    if (!isSound(stored, value, column)) damage.push(name)
  }
  return (damage.length === 0 ? fields : { ...fields, damage }) as Value & Damage
}

const amounts = ['total', 'charged'] as const

/** The order's cost, or what it counts as against limits, cannot be read. */
export const hasDamagedAmount = (entry: Entry): boolean =>
  findDamaged(entry).some((name) => ['total', 'charged', 'counts'].includes(name))

/** The columns that cannot be read, or whose text is malformed. */
const findDamaged = (row: Partial<Entry> & Damage): string[] => {
  const { damage = [], request, products, reference = '', referenceFold } = row
  const unreadable = [
    ...(request === undefined || isRequest(request) ? [] : ['request']),
    ...amounts.filter((name) => row[name] !== undefined && !isAmount(row[name])),
    ...(row.counts === undefined && isAmount(row.total) ? ['counts'] : []),
    ...(products === undefined || parseProducts(products) !== undefined ? [] : ['products']),
    ...(referenceFold === undefined || foldReference(reference) === referenceFold ? [] : ['reference']),
  ]
  return [...new Set([...damage, ...unreadable])]
}

/** Selects rows. Reports those that are damaged, if they are of one table. `add` returns further fields. */
export const selectRows = async <Row>(
  { all, report }: Pick<Access, 'all' | 'report'>,
  table: Columns & { readonly name?: string },
  sql: string,
  values?: Values,
  add?: (row: StoredRow) => Partial<Row>,
): Promise<(Row & Damage)[]> => {
  const kind = kinds[table.name ?? '']
  return (await all(sql, values)).map((row) => {
    const value = fromRow<Row>(row, table)
    const columns = kind === undefined ? [] : findDamaged(value)
    const { number, orderId, orderNumber, card, row: line } = value as Partial<Entry & Call & CardOfBatch>
    if (kind !== undefined && columns.length > 0)
      report({ kind, number: orderNumber ?? number ?? card ?? line, orderId, columns })
    return add === undefined ? value : { ...value, ...add(row) }
  })
}

type CardOfBatch = { readonly card: number; readonly row: number }

const kinds: Readonly<Record<string, DamagedRow['kind']>> = {
  ...{ orders: 'order', calls: 'call', reveals: 'reveal' },
  ...{ batches: 'batch', batch_rows: 'row', batch_cards: 'card' },
}
