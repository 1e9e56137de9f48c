// The access log of the service: one line for each request.
import { sanitize } from '../terminal/sanitize.ts'
import type { Theme } from '../terminal/theme.ts'

export type SeenRequest = {
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
