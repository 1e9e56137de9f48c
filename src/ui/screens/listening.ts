// What serve-mock says once it listens.
import { safeText } from '../terminal/safe-text.ts'
import type { Theme } from '../terminal/theme.ts'

export type Listening = {
  readonly url: string
  /** The one that everybody knows: a key that was chosen is not repeated. */
  readonly key: string | undefined
  readonly seed: string
  /** The file that holds its state. */
  readonly state: string
}

export const listeningText = ({ url, key, seed, state }: Listening, theme: Theme): string => {
  const row = (name: string, value: string): string => `  ${theme.quiet(name.padEnd(8))} ${value}\n`
  return (
    `${theme.strong('The order service is listening: SANDBOX, no money moves.')}\n` +
    row('address', theme.strong(url)) +
    row(
      'key',
      `${safeText(key ?? 'that of --api-key')}  ${theme.quiet('(Authorization: Bearer KEY, or x-api-key: KEY)')}`,
    ) +
    row('control', `${url}/_mock/`) +
    row('openapi', `${url}/openapi.json`) +
    row('state', state === ':memory:' ? 'in memory; --state FILE keeps it' : safeText(state)) +
    row('seed', `${safeText(seed)}  ${theme.quiet('(--seed gives the same codes again)')}`) +
    `${theme.quiet('A line a request follows. Ctrl-C stops it.')}\n`
  )
}

/** With --exec the command's own output matters. */
export const runningText = ({ url, key }: Listening, theme: Theme): string =>
  theme.quiet(`serve-mock: SANDBOX at ${url}${key === undefined ? '' : `, key ${safeText(key)}`}\n`)
