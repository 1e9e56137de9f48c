// The messages that serve-mock prints when it is listening.
import { sanitize } from '../terminal/sanitize.ts'
import type { Theme } from '../terminal/theme.ts'

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
  const renderRow = (name: string, value: string): string => `  ${theme.quiet(name.padEnd(10))} ${value}\n`
  return (
    `${theme.strong('serve-mock is listening. No real money is spent.')}\n` +
    renderRow('url', theme.strong(url)) +
    renderRow(
      'key',
      `${sanitize(key ?? 'from --api-key')}  ${theme.quiet('(Authorization: Bearer KEY, or x-api-key: KEY)')}`,
    ) +
    (inspector === undefined ? '' : renderRow('inspector', inspector)) +
    renderRow('control', `${url}/_mock/`) +
    renderRow('openapi', `${url}/openapi.json`) +
    renderRow('state', state === ':memory:' ? 'in memory (use --state FILE to keep it)' : sanitize(state)) +
    renderRow('seed', `${sanitize(seed)}  ${theme.quiet('(use --seed to get the same codes again)')}`) +
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
