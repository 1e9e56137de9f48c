// The messages that serve-mock prints when it is listening.
import { sanitize } from '../terminal/sanitize.ts'
import type { Theme } from '../terminal/theme.ts'
import { type Field, renderFields } from '../text/fields.ts'

export type Listening = {
  readonly url: string
  /** The default key. Undefined for a key from --api-key, which is not repeated. */
  readonly key: string | undefined
  readonly seed: string
  /** The state file, or `:memory:`. */
  readonly state: string
  /** The URL of the inspector, with its token. Undefined with --no-inspector. */
  readonly inspector: string | undefined
}

export const renderListening = ({ url, key, seed, state, inspector }: Listening, theme: Theme): string => {
  const keyText = sanitize(key ?? 'from --api-key')
  const fields: Field[] = [
    ['url', theme.strong(url)],
    ['key', `${keyText}  ${theme.quiet('(Authorization: Bearer KEY, or x-api-key: KEY)')}`],
    ['inspector', inspector],
    ['control', `${url}/_mock/`],
    ['openapi', `${url}/openapi.json`],
    ['state', state === ':memory:' ? 'in memory (use --state FILE to keep it)' : sanitize(state)],
    ['seed', `${sanitize(seed)}  ${theme.quiet('(use --seed to get the same codes again)')}`],
  ]
  return (
    `${theme.strong('serve-mock is listening. No real money is spent.')}\n` +
    renderFields(fields, { theme }, '  ') +
    `${theme.quiet('Each request is logged below. Press Ctrl-C to stop.')}\n`
  )
}

/** For --exec: one line, or two on a terminal, before the output of the command. */
export const renderRunning = (
  { url, key, inspector }: Listening,
  theme: Theme,
  isTerminal: boolean,
): string =>
  theme.quiet(
    `serve-mock: listening on ${url}${key === undefined ? '' : `, key ${sanitize(key)}`}\n` +
      (isTerminal && inspector !== undefined ? `inspector: ${inspector}\n` : ''),
  )
