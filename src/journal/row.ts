// Reads a row of the journal. A damaged column does not hide the others: it is named, and gets a value that cannot
// lead to a second purchase.
import { calls, orders } from './tables/orders.ts'
import { isTime } from './tables/sql.ts'

/** The columns whose values cannot be read. Absent if there are none. */
export type Damage = { readonly damage?: readonly string[] }

type Row = Readonly<Record<string, unknown>>

const integers = new Set([
  'number',
  'order_number',
  'account',
  'duplicate',
  'status',
  'until',
  'at',
  'count',
  'is_own',
  'batch',
  'slot',
  'actor',
  'cards',
  'delivered',
  'duplicate_cards',
  'confirms',
])
const isTimeColumn = (column: string): boolean =>
  column.endsWith('_at') || column === 'at' || column === 'until'
const isInteger = (column: string): boolean => isTimeColumn(column) || integers.has(column)

/** The allowed values of a column, and the value that replaces any other: it assumes that the call may have spent. */
const choices = new Map<string, { readonly allowed: readonly string[]; readonly cautious: string | null }>([
  ['operation', { allowed: calls.columns.operation.words, cautious: 'confirm' }],
  ['outcome', { allowed: calls.columns.outcome.words, cautious: 'unknown' }],
  ['standing', { allowed: orders.columns.standing.words, cautious: 'confirming' }],
  ['void_reason', { allowed: orders.columns.void_reason.words, cautious: 'expired' }],
  ['result', { allowed: orders.columns.result.words, cautious: null }],
  ['settled', { allowed: calls.columns.settled.words, cautious: null }],
])

/** Columns that are never NULL in a sound row, and the values that replace NULL. */
const required = new Map<string, string | number>([
  ...['profile', 'origin', 'state', 'skus', 'who', 'how'].map((column) => [column, '?'] as const),
  ...['placed_at', 'changed_at', 'started_at', 'until', 'at'].map((column) => [column, Number.NaN] as const),
  ['standing', 'confirming'],
  ['operation', 'confirm'],
  ['outcome', 'unknown'],
])

const readInteger = (value: unknown): number =>
  typeof value === 'bigint' || typeof value === 'number' ? Number(value) : Number.NaN

const isSoundInteger = (column: string, number: number): boolean =>
  isTimeColumn(column) ? isTime(number) : Number.isSafeInteger(number)

/** The text, or the value that replaces it. */
const readText = (column: string, value: unknown): string | null => {
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
  const choice = choices.get(column)
  return choice === undefined || choice.allowed.includes(text) ? text : choice.cautious
}

const readColumn = (column: string, stored: unknown) => {
  if (stored === null) return required.get(column) ?? null
  return isInteger(column) ? readInteger(stored) : readText(column, stored)
}

const isSound = (column: string, stored: unknown, value: unknown): boolean =>
  stored === null || typeof value !== 'number' ? value === stored : isSoundInteger(column, value)

const toFieldName = (column: string): string =>
  column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Converts column names to camel case and omits NULL values. */
export const fromRow = <Value>(row: Row): Value & Damage => {
  const fields: Record<string, unknown> = {}
  const damage: string[] = []
  for (const [column, stored] of Object.entries(row)) {
    const value = readColumn(column, stored)
    if (value !== null) fields[toFieldName(column)] = value
    if (!isSound(column, stored, value)) damage.push(column)
  }
  return (damage.length === 0 ? fields : { ...fields, damage }) as Value & Damage
}
