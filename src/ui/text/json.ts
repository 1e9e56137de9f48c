// Renders JSON for stdout: exact numbers, masked codes unless they are revealed, only the fields of --fields.
import { writeJson } from '../../contract/json.ts'
import { maskTree } from '../masking/mask-tree.ts'
import { sanitizeJson } from '../terminal/sanitize.ts'
import { type FieldPath, selectFields } from './json-fields.ts'

export type JsonView = {
  readonly reveal?: boolean
  /** Default: all. */
  readonly fields?: readonly FieldPath[]
  /** For streams: one document a line. */
  readonly oneLine?: boolean
  /** Fields beside those of the value, which are not masked here. */
  readonly own?: object | undefined
  /** The order that contains the value. The value may repeat its codes. */
  readonly whole?: unknown
}

export const renderJson = (value: unknown, view: JsonView = {}): string => {
  const { reveal = false, fields, oneLine = false, whole = value, own } = view
  // Masked first, because masking depends on the surrounding fields.
  const masked = reveal ? value : maskTree(value, whole)
  const shown = own === undefined ? masked : { ...(masked as object), ...own }
  const selected = fields === undefined ? shown : selectFields(shown, fields)
  return `${sanitizeJson(writeJson(selected, oneLine ? undefined : 2))}\n`
}

/** Keeps the order of the names: in an object, names such as `2026` would come first. An absent value is null. */
export const renderJsonLine = (names: readonly string[], values: readonly unknown[]): string => {
  const fields = names.map((name, index) => `${writeJson(name)}:${writeJson(values[index] ?? null)}`)
  return sanitizeJson(`{${fields.join(',')}}`).concat('\n')
}
