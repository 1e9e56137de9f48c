// Translates named parameters to the numbered ones of PostgreSQL, and their values to text.

type Value = string | number | bigint | null
export type Values = Readonly<Record<string, Value>>

type Statement = { readonly text: string; readonly names: readonly string[] }

/** Statements with many values differ each time, so only the first ones are kept: those that every command runs. */
const maxStatements = 200
const statements = new Map<string, Statement>()

const translate = (sql: string): Statement => {
  const names: string[] = []
  const text = sql.replace(/\$([a-z_]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text, names }
}

export const bindParameters = (
  sql: string,
  values: Values = {},
): { text: string; values: (string | null)[] } => {
  const statement = statements.get(sql) ?? translate(sql)
  if (statements.size < maxStatements) statements.set(sql, statement)
  const { text, names } = statement
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
