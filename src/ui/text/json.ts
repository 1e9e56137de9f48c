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
  /** The order that contains the value. The value may repeat its codes. */
  readonly whole?: unknown
}

export const renderJson = (
  value: unknown,
  { reveal = false, fields, oneLine = false, whole = value }: JsonView = {},
): string => {
  // Masked first, because masking depends on the surrounding fields.
  const shown = reveal ? value : maskTree(value, whole)
  const selected = fields === undefined ? shown : selectFields(shown, fields)
  return `${sanitizeJson(writeJson(selected, oneLine ? undefined : 2))}\n`
}
