// What serve-mock prints: where it listens, and its access log.
import type { LogEntry } from '../../service/request-log.ts'
import type { SeenAttempt } from '../../service/webhooks/webhooks.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { Theme } from '../../ui/terminal/view.ts'
import { type Field, renderFields } from '../../ui/text/table.ts'

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
export const renderRunning = ({ url, key, inspector }: Listening, theme: Theme, isTerminal: boolean) =>
  theme.quiet(
    `serve-mock: listening on ${url}${key === undefined ? '' : `, key ${sanitize(key)}`}\n` +
      (isTerminal && inspector !== undefined ? `inspector: ${inspector}\n` : ''),
  )

/** The access log: a line for each request, and for each attempt to deliver a webhook. */
export const createAccessLog = ({ quiet, good, warning, bad }: Theme) => {
  // Formatted once a second, because a busy service writes thousands of lines a second.
  let second = Number.NaN
  let clock = ''
  const formatClock = (at: number): string => {
    if (Math.floor(at / 1000) !== second) {
      second = Math.floor(at / 1000)
      clock = quiet(new Date(at).toTimeString().slice(0, 8))
    }
    return clock
  }
  type Seen = { readonly at: number; readonly ms: number; readonly status?: number | null }
  const formatLine = (
    { at, ms, status }: Seen,
    paint: Theme['good'],
    [what, where, ...details]: readonly [string, string, ...string[]],
  ): string => {
    const result = paint(String(status ?? '---'))
    const head = [formatClock(at), what.padEnd(4), sanitize(where).padEnd(14), result, `${ms} ms`.padStart(6)]
    return `${[...head, ...details.filter((each) => each !== '')].join('  ')}\n`
  }
  return {
    renderRequest: (seen: LogEntry): string => {
      const { method, path, status, orderId = '', message = '', fault } = seen
      const paint = status === null || status >= 500 ? bad : status >= 400 ? warning : good
      const cause = fault === undefined ? '' : quiet(`(fault: ${fault})`)
      return formatLine(seen, paint, [method, path, sanitize(orderId), sanitize(message), cause])
    },
    renderAttempt: (seen: SeenAttempt): string => {
      const { origin, orderId, event, number, error = '', state, retryInMs = 0 } = seen
      const [paint, next] = {
        delivered: [good, ''] as const,
        pending: [warning, `next in ${Math.ceil(retryInMs / 1000)} s`] as const,
        'given-up': [bad, 'no further attempt'] as const,
      }[state]
      const detail = [`webhook ${event}, attempt ${number}`, error, next].filter((text) => text !== '')
      return formatLine(seen, paint, ['hook', origin, sanitize(orderId), sanitize(detail.join('; '))])
    },
  }
}
