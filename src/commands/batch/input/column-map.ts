// Parses the values of --map, such as quote=Amount.

import type { Fix } from '../../../errors.ts'
import { Failure } from '../../../errors.ts'

export const fields = ['sku', 'quote', 'quantity', 'productType'] as const
export type Field = (typeof fields)[number]

/** The column of each field that has another name in the input. */
export type ColumnMap = ReadonlyMap<Field, string>

export const findField = (name: string): Field | undefined =>
  fields.find((field) => field.toLowerCase() === name.trim().toLowerCase())

/** Throws one failure that names every wrong value. */
export const parseColumnMap = (texts: readonly string[]): ColumnMap => {
  const map = new Map<Field, string>()
  const problems = texts.map((text) => addToMap(map, text)).filter((problem) => problem !== undefined)
  const [only, ...others] = problems
  if (only === undefined) return map
  throw new Failure('usage', others.length === 0 ? only : `${problems.length} values of --map are invalid`, {
    field: '--map',
    fix: `Use the form FIELD=COLUMN, such as --map quote=Amount. Fields: ${fields.join(', ')}.`,
    ...(others.length === 0 ? {} : { violations: problems }),
  })
}

/** Returns the problem of an invalid value. */
const addToMap = (map: Map<Field, string>, text: string): string | undefined => {
  const given = `--map is ${JSON.stringify(text)}`
  const at = text.indexOf('=')
  if (at === -1) return `${given}; allowed: FIELD=COLUMN, such as quote=Amount`
  const field = findField(text.slice(0, at))
  const header = text.slice(at + 1).trim()
  if (field === undefined) return `${given}; allowed fields: ${fields.join(', ')}`
  if (header === '') return `${given}; the column after '=' is missing`
  if (map.has(field)) return `${given}, but --map already names a column for ${field}`
  if ([...map.values()].includes(header)) return `${given}, but --map already uses the column '${header}'`
  map.set(field, header)
  return undefined
}

/** A function, because a fix is written for a shell. */
export const formatMapping =
  (field: Field, header: string): Fix =>
  (suggest) =>
    suggest.flags({ map: `${field}=${header}` })
