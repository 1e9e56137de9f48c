// The one way that results of order commands are shown: JSON, ids alone, or the screen for people.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { jsonText } from '../../ui/text/json.ts'
import { parseFields } from '../../ui/text/json-fields.ts'

export type ShowFlags = {
  readonly json?: boolean
  readonly fields?: string
  readonly quiet?: boolean
  readonly reveal?: boolean
}

export type Shown = {
  /** The documented data, names untouched. */
  readonly data: () => unknown
  /** The order that the data is a part of. */
  readonly whole?: unknown
  readonly ids: readonly string[]
  /** What draws it is loaded where it is drawn. */
  readonly screen: () => string | Promise<string>
}

type Options = {
  /** The order is placed by now: a field that it does not have must not hide the rest of it. */
  readonly hasSpent?: boolean
}

/** Documented fields that hold no code. An undocumented field may repeat one. */
const withoutCodes = new Set<PropertyKey>([
  ...['uid', 'id', 'state', 'reference', 'invoice', 'exchangeRates'],
  ...['createdDate', 'modifiedDate', 'expiresAt'],
])

/** Wrong flags must be known before anything is sent. */
export const shower = (
  { stdout, stderr }: Context,
  { json, fields, quiet, reveal = false }: ShowFlags,
  { hasSpent = false }: Options = {},
) => {
  if (quiet === true && json === true) {
    throw new Failure('usage', '--quiet prints ids alone: it does not go with --json', { field: '--quiet' })
  }
  if (fields !== undefined && json !== true) {
    throw new Failure('usage', '--fields narrows JSON: it goes with --json', { field: '--fields' })
  }
  const paths: { fields?: ReturnType<typeof parseFields> } =
    fields === undefined ? {} : { fields: parseFields(fields) }
  const textOf = (data: unknown, oneLine: boolean, whole = data): string => {
    try {
      return jsonText(data, { reveal, oneLine, whole, ...paths })
    } catch (error) {
      if (!hasSpent || !(error instanceof Failure)) throw error
      stderr.write(`warning: ${error.message}; this is all of it\n`)
      return jsonText(data, { reveal, oneLine, whole })
    }
  }
  const showIds = (ids: readonly string[]): void =>
    stdout.write(ids.map((id) => `${safeText(id)}\n`).join(''))
  return {
    showIds,
    show: async ({ data, whole, ids, screen }: Shown): Promise<void> => {
      if (quiet === true) showIds(ids)
      else stdout.write(json === true ? textOf(data(), false, whole) : await screen())
    },
    line: (data: unknown): void => stdout.write(textOf(data, true)),
    /** Whether codes are among what is shown. */
    reveals:
      reveal &&
      quiet !== true &&
      (paths.fields === undefined || paths.fields.some(([first = '']) => !withoutCodes.has(first))),
  }
}
