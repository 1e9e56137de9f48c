// Parses the values of --map, such as quote=Amount.
import type { Fix } from '../../../errors.ts'
import { type Problem, refuseFlags } from '../../shared/read-options.ts'
import type { Given } from '../../shared/spec.ts'

export const fields = ['sku', 'quote', 'quantity', 'productType'] as const
export type Field = (typeof fields)[number]

/** One value of --map. */
export type Mapping = { readonly text: string; readonly field: Field; readonly header: string }

/** The column of each field that has another name in the input. */
export type ColumnMap = ReadonlyMap<Field, string>

export const findField = (name: string): Field | undefined =>
  fields.find((field) => field.toLowerCase() === name.trim().toLowerCase())

const describe = (text: string): string => `--map is ${JSON.stringify(text)}`

export const parseMapping = (text: string, { problem }: Pick<Given, 'problem'>): Mapping | undefined => {
  const given = describe(text)
  const at = text.indexOf('=')
  if (at === -1) return problem(`${given}; allowed: FIELD=COLUMN, such as quote=Amount`)
  const field = findField(text.slice(0, at))
  const header = text.slice(at + 1).trim()
  if (field === undefined) return problem(`${given}; allowed fields: ${fields.join(', ')}`)
  if (header === '') return problem(`${given}; the column after '=' is missing`)
  return { text, field, header }
}

/** Throws if two values name the same field or the same column. */
export const createColumnMap = (path: string, mappings: readonly Mapping[]): ColumnMap => {
  const map = new Map<Field, string>()
  const problems: Problem[] = []
  for (const { text, field, header } of mappings) {
    const addProblem = (why: string): void =>
      void problems.push({ text: `${describe(text)}, but --map ${why}`, field: '--map' })
    if (map.has(field)) addProblem(`already names a column for ${field}`)
    else if (new Set(map.values()).has(header)) addProblem(`already uses the column '${header}'`)
    else map.set(field, header)
  }
  refuseFlags(path, problems)
  return map
}

/** A function, because a fix is written for a shell. */
export const formatMapping =
  (field: Field, header: string): Fix =>
  (suggest) =>
    suggest.flags({ map: `${field}=${header}` })
