// Reads a row of the journal. A damaged column does not hide the others: it is named, and gets a value that cannot
// lead to a second purchase.

import { parseProducts } from '../../contract/ordered-products.ts'
import { foldReference } from '../../contract/reference.ts'
import { orders } from '../tables/orders.ts'
import { type Column, count, flag, isAmount, isText, isTime, type Table, text } from '../tables/table.ts'
import type { Call, Entry } from './entry.ts'
import { readRequestLines } from './products.ts'

/** The columns whose values cannot be read. Absent if there are none. */
export type Damage = { readonly damage?: readonly string[] }

type Row = Readonly<Record<string, unknown>>

/** Columns that queries compute. */
const computed: Table['columns'] = { count, is_own: flag, card_states: text }

/** What replaces a word that the column does not allow: it assumes that the call may have spent. */
const cautious = new Map<string, string | null>([
  ['operation', 'confirm'],
  ['outcome', 'unknown'],
  ['standing', 'confirming'],
  ['void_reason', 'expired'],
  ['result', null],
  ['placed_with', 'mcp'],
  ['settled', null],
])

/** What replaces NULL: a sound row never has it in such a column. */
const readNull = (name: string, column: Column | undefined): string | number | null => {
  const isRequired = column?.isNotNull === true || column?.generatedAs !== undefined
  if (column === undefined || !isRequired || column.only !== undefined) return null
  return isText(column) ? (cautious.get(name) ?? '?') : Number.NaN
}

const readInteger = (value: unknown): number =>
  typeof value === 'bigint' || typeof value === 'number' ? Number(value) : Number.NaN

/** Null if it is damaged, because it may be any amount. */
const readMillionths = (value: unknown): bigint | null =>
  typeof value === 'bigint' && value >= 0n ? value : null

/** The text, or the value that replaces it. */
const readText = (name: string, value: unknown, column: Column | undefined): string | null => {
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
  const replacement = cautious.get(name)
  return replacement === undefined || column?.words?.includes(text) ? text : replacement
}

const isSound = (
  stored: unknown,
  value: string | number | bigint | null,
  column: Column | undefined,
): boolean => {
  if (stored === null || typeof value !== 'number') return value === stored
  return column?.type === 'time' ? isTime(value) : Number.isSafeInteger(value)
}

const toFieldName = (column: string): string =>
  column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Converts column names to camel case and omits NULL values. */
export const fromRow = <Value>(row: Row, { columns }: Table = orders): Value & Damage => {
  const fields: Record<string, unknown> = {}
  const damage: string[] = []
  for (const [name, stored] of Object.entries(row)) {
    const column = columns[name] ?? computed[name]
    const read = () => {
      if (column?.type === 'millionths') return readMillionths(stored)
      return column === undefined || isText(column) ? readText(name, stored, column) : readInteger(stored)
    }
    const value = stored === null ? readNull(name, column) : read()
    if (value !== null) fields[toFieldName(name)] = value
    if (!isSound(stored, value, column)) damage.push(name)
  }
  return (damage.length === 0 ? fields : { ...fields, damage }) as Value & Damage
}

export type DamagedRow = {
  readonly kind: 'order' | 'call' | 'reveal'
  /** The number of the order in the journal. */
  readonly number?: number | undefined
  readonly orderId?: string | undefined
  /** The columns that cannot be read. */
  readonly columns: readonly string[]
}

type Value = Partial<Entry & Call & Damage & { readonly orderNumber: number; readonly skus: unknown }>

const amounts = ['total', 'charged'] as const

/** What the order cost, or counts as against limits, cannot be read. */
export const hasDamagedAmount = (entry: Entry): boolean =>
  (findDamagedRow(entry)?.columns ?? []).some((name) => ['total', 'charged', 'counts'].includes(name))

/** Returns undefined if the value is sound, or is not a row of the journal. */
export const findDamagedRow = (value: unknown): DamagedRow | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const row: Value = value
  const { damage = [], number, orderNumber, orderId, request, products, reference = '', referenceFold } = row
  if (row.operation === undefined && row.skus === undefined && row.standing === undefined) return undefined
  const unreadable = [
    ...(request === undefined || readRequestLines(request) !== undefined ? [] : ['request']),
    ...amounts.filter((name) => row[name] !== undefined && !isAmount(row[name])),
    ...(row.counts === undefined && isAmount(row.total) ? ['counts'] : []),
    ...(products === undefined || parseProducts(products) !== undefined ? [] : ['products']),
    ...(referenceFold === undefined || foldReference(reference) === referenceFold ? [] : ['reference']),
  ]
  const columns = [...new Set([...damage, ...unreadable])]
  if (columns.length === 0) return undefined
  if (row.operation !== undefined) return { kind: 'call', number: orderNumber, columns }
  if (row.skus !== undefined) return { kind: 'reveal', orderId, columns }
  return { kind: 'order', number, orderId, columns }
}
