// A value as JSON for stdout: exact, masked unless it is to be revealed, narrowed where fields are named.
import { writeJson } from '../contract/json.ts'
import { type FieldPath, narrow } from './json-fields.ts'
import { maskTree } from './mask-tree.ts'
import { safeJson } from './safe-text.ts'

export type JsonView = {
  /** Codes as they are. */
  readonly reveal?: boolean
  /** What `--fields` asks for; all where it is left out. */
  readonly fields?: readonly FieldPath[]
  /** One line, for streams. */
  readonly oneLine?: boolean
}

export const jsonText = (
  value: unknown,
  { reveal = false, fields, oneLine = false }: JsonView = {},
): string => {
  // Masked first: a part alone does not say any more where it stood.
  const shown = reveal ? value : maskTree(value)
  const narrowed = fields === undefined ? shown : narrow(shown, fields)
  return `${safeJson(writeJson(narrowed, oneLine ? undefined : 2))}\n`
}
