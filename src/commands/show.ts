// The one way that results of order commands are shown: JSON, ids alone, or the screen for people.
import type { Context } from '../context.ts'
import { Failure } from '../errors.ts'
import { jsonText } from '../ui/json.ts'
import { parseFields } from '../ui/json-fields.ts'

export type ShowFlags = {
  readonly json?: boolean
  readonly fields?: string
  readonly quiet?: boolean
  readonly reveal?: boolean
}

export type Shown = {
  /** The documented data, names untouched. */
  readonly data: unknown
  readonly id: string
  readonly screen: () => string
}

/** Wrong flags must be known before anything is sent. */
export const shower = ({ stdout }: Context, { json, fields, quiet, reveal = false }: ShowFlags) => {
  if (fields !== undefined && json !== true) {
    throw new Failure('usage', '--fields narrows JSON: it goes with --json', { field: '--fields' })
  }
  const paths = fields === undefined ? undefined : parseFields(fields)
  return {
    show: ({ data, id, screen }: Shown): void => {
      if (quiet === true) stdout.write(`${id}\n`)
      else if (json === true)
        stdout.write(jsonText(data, { reveal, ...(paths === undefined ? {} : { fields: paths }) }))
      else stdout.write(screen())
    },
    line: (data: unknown): void =>
      stdout.write(
        jsonText(data, { reveal, oneLine: true, ...(paths === undefined ? {} : { fields: paths }) }),
      ),
  }
}
