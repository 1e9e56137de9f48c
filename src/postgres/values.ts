// Converts named parameters and columns between orderctl and PostgreSQL, so that they are as in SQLite.

type Value = string | number | bigint | null
export type Values = Readonly<Record<string, Value>>

/** The parameters of `text` are numbered. */
export type Statement = { readonly text: string; readonly values: (string | null)[] }

export const bindParameters = (sql: string, values: Values = {}): Statement => {
  const names: string[] = []
  const text = sql.replace(/\$([a-z_]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const unknown = Object.keys(values).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`the statement has no parameter $${unknown}: ${sql}`)
  return { text, values: names.map((name) => toText(values[name], name, sql)) }
}

const toText = (value: Value | undefined, name: string, sql: string): string | null => {
  if (value === undefined) throw new TypeError(`the parameter $${name} has no value: ${sql}`)
  if (value === null) return null
  // PostgreSQL cannot store a NUL character.
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd')
  // The text of a large number would have an exponent, which PostgreSQL does not read as an integer.
  return Number.isInteger(value) ? BigInt(value).toString() : value.toString()
}

// The object ids of types, which never change.
const int8 = 20
const int2 = 21
const int4 = 23
const oid = 26
const bool = 16
const float4 = 700
const float8 = 701
const numeric = 1700

const convertColumn = (type: number, text: string): unknown => {
  if ([int8, int2, int4, oid].includes(type)) return BigInt(text)
  if (type === bool) return text === 't' ? 1n : 0n
  if (type === float4 || type === float8) return Number(text)
  // The sum of bigints is a numeric.
  return type === numeric && /^-?\d+$/.test(text) ? BigInt(text) : text
}

/** The `types` of a client of pg. */
export const columnTypes = {
  getTypeParser: (type: number) => (text: string) => convertColumn(type, text),
}
