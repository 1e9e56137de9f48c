// A value as JSON for stdout: exact, masked unless it is revealed, narrowed if fields are named.
import { writeJson } from '../../contract/json.ts'
import { maskTree } from '../masking/mask-tree.ts'
import { safeJson } from '../terminal/safe-text.ts'
import { type FieldPath, narrow } from './json-fields.ts'

export type JsonView = {
  /** Prints the codes as they are. */
  readonly reveal?: boolean
  /** The fields that `--fields` names (default: all). */
  readonly fields?: readonly FieldPath[]
  /** For streams. */
  readonly oneLine?: boolean
  /** The order that the value is a part of: the part may repeat codes of the rest. */
  readonly whole?: unknown
}

export const jsonText = (
  value: unknown,
  { reveal = false, fields, oneLine = false, whole = value }: JsonView = {},
): string => {
  // Masked before it is narrowed: a field alone does not tell what was around it.
  const shown = reveal ? value : maskTree(value, whole)
  const narrowed = fields === undefined ? shown : narrow(shown, fields)
  return `${safeJson(writeJson(narrowed, oneLine ? undefined : 2))}\n`
}
