// What serve-mock prints: where it listens, and its access log.
import { sanitize } from '../terminal/sanitize.ts'
import type { Theme } from '../terminal/view.ts'
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

type SeenRequest = {
  /** Milliseconds since the UNIX epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  readonly status: number | null
  readonly ms: number
  readonly orderId?: string
  readonly message?: string
  readonly fault?: string
}

/** Formats the time once a second, because a busy service writes thousands of lines a second. */
export const requestLines = (theme: Theme): ((seen: SeenRequest) => string) => {
  let second = Number.NaN
  let clock = ''
  return ({ at, method, path, status, ms, orderId, message, fault }) => {
    if (Math.floor(at / 1000) !== second) {
      second = Math.floor(at / 1000)
      clock = theme.quiet(new Date(at).toTimeString().slice(0, 8))
    }
    const paint = status === null || status >= 500 ? theme.bad : status >= 400 ? theme.warning : theme.good
    const result = paint(status === null ? '---' : String(status))
    const order = orderId === undefined ? '' : `  ${sanitize(orderId)}`
    const detail = message === undefined ? '' : `  ${sanitize(message)}`
    const cause = fault === undefined ? '' : `  ${theme.quiet(`(fault: ${fault})`)}`
    return `${clock}  ${method.padEnd(4)}  ${sanitize(path).padEnd(14)}  ${result}  ${`${ms} ms`.padStart(6)}${order}${detail}${cause}\n`
  }
}

export type SeenDelivery = {
  /** Milliseconds since the UNIX epoch. */
  readonly at: number
  readonly origin: string
  readonly orderId: string
  readonly event: string
  readonly number: number
  readonly status?: number
  readonly error?: string
  readonly ms: number
  readonly state: 'pending' | 'delivered' | 'given-up'
  readonly retryInMs?: number
}

export const renderAttempt = (seen: SeenDelivery, theme: Theme): string => {
  const { at, origin, orderId, event, number, status, error, ms, state, retryInMs = 0 } = seen
  const clock = theme.quiet(new Date(at).toTimeString().slice(0, 8))
  const paint = { delivered: theme.good, pending: theme.warning, 'given-up': theme.bad }[state]
  const result = paint(status === undefined ? '---' : String(status))
  const next = {
    delivered: '',
    pending: `next in ${Math.ceil(retryInMs / 1000)} s`,
    'given-up': 'no further attempt',
  }
  const detail = [`webhook ${event}, attempt ${number}`, error ?? '', next[state]].filter(
    (text) => text !== '',
  )
  return `${clock}  hook  ${sanitize(origin).padEnd(14)}  ${result}  ${`${ms} ms`.padStart(6)}  ${sanitize(orderId)}  ${sanitize(detail.join('; '))}\n`
}
