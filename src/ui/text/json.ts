// Renders JSON for stdout: exact numbers, only the fields of --fields. A response is masked before.
import { writeJson } from '../../contract/json.ts'
import { sanitizeJson } from '../terminal/sanitize.ts'
import { type FieldPath, selectFields } from './json-fields.ts'

export type JsonView = {
  /** Default: all. */
  readonly fields?: readonly FieldPath[]
  /** For streams: one document a line. */
  readonly oneLine?: boolean
}

export const renderJson = (value: unknown, view: JsonView = {}): string => {
  const { fields, oneLine = false } = view
  const selected = fields === undefined ? value : selectFields(value, fields)
  return `${sanitizeJson(writeJson(selected, oneLine ? undefined : 2))}\n`
}

/** Keeps the order of the names: in an object, names such as `2026` would come first. An absent value is null. */
export const renderJsonLine = (names: readonly string[], values: readonly unknown[]): string => {
  const fields = names.map((name, index) => `${writeJson(name)}:${writeJson(values[index] ?? null)}`)
  return sanitizeJson(`{${fields.join(',')}}`).concat('\n')
}
