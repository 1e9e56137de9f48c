// A row of the journal as a value. Damage to one column must not hide the rest: the column is named, and gets a
// value that lets nothing be spent twice.

/** Names of columns whose value cannot be read. Absent if there are none. */
export type Damaged = { readonly damage?: readonly string[] }

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
])
const isTime = (column: string): boolean => column.endsWith('_at') || column === 'at' || column === 'until'
const isInteger = (column: string): boolean => isTime(column) || integers.has(column)

/** The last moment that a Date can hold. */
const latestTime = 8.64e15

/** Columns with few values, and what counts if a column has none of them: the call may have spent. */
const choices = new Map<string, { readonly allowed: readonly string[]; readonly cautious: string | null }>([
  ['operation', { allowed: ['create', 'confirm'], cautious: 'confirm' }],
  ['outcome', { allowed: ['sending', 'not-sent', 'refused', 'done', 'unknown'], cautious: 'unknown' }],
  ['settled', { allowed: ['took-effect', 'no-effect', 'lapsed', 'expired'], cautious: null }],
])

/** Columns that are never NULL in a sound row, and what they get instead. */
const required = new Map<string, string | number>([
  ...['profile', 'origin', 'standing', 'skus', 'who', 'how'].map((column) => [column, '?'] as const),
  ...['placed_at', 'changed_at', 'started_at', 'until', 'at'].map((column) => [column, Number.NaN] as const),
  ['operation', 'confirm'],
  ['outcome', 'unknown'],
])

type Read = { readonly value: unknown; readonly isDamaged?: true }

const readInteger = (column: string, value: unknown): Read => {
  if (typeof value !== 'bigint' && typeof value !== 'number') return { value: Number.NaN, isDamaged: true }
  const number = Number(value)
  const most = isTime(column) ? latestTime : Number.MAX_SAFE_INTEGER
  // A service may say 'never' by a very large number.
  const isReadable = column === 'expires_at' || (Number.isInteger(number) && Math.abs(number) <= most)
  return isReadable ? { value: number } : { value: number, isDamaged: true }
}

const readText = (column: string, value: unknown): Read => {
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
  const choice = choices.get(column)
  if (choice !== undefined && !choice.allowed.includes(text))
    return { value: choice.cautious, isDamaged: true }
  return typeof value === 'string' ? { value } : { value: text, isDamaged: true }
}

const readColumn = (column: string, value: unknown): Read => {
  if (value !== null) return isInteger(column) ? readInteger(column, value) : readText(column, value)
  return required.has(column) ? { value: required.get(column), isDamaged: true } : { value }
}

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Names in camel case, nothing for NULL, and the columns that are damaged. */
export const fromRow = <Value>(row: Row): Value & Damaged => {
  const fields: [string, unknown][] = []
  const damage: string[] = []
  for (const [column, given] of Object.entries(row)) {
    const { value, isDamaged } = readColumn(column, given)
    if (value !== null) fields.push([camelCase(column), value])
    if (isDamaged === true) damage.push(column)
  }
  if (damage.length > 0) fields.push(['damage', damage])
  return Object.fromEntries(fields) as Value & Damaged
}
