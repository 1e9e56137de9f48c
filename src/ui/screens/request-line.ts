// A request that the embedded service saw, on one line.
import { safeText } from '../terminal/safe-text.ts'
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

/** A line a request. The clock is written once a second: a busy service has thousands of lines in one. */
export const requestLines = (theme: Theme): ((seen: SeenRequest) => string) => {
  let second = Number.NaN
  let clock = ''
  return ({ at, method, path, status, ms, orderId, message, fault }) => {
    if (Math.floor(at / 1000) !== second) {
      second = Math.floor(at / 1000)
      // By the clock on the reader's wall.
      clock = theme.quiet(new Date(at).toTimeString().slice(0, 8))
    }
    const paint = status === null || status >= 500 ? theme.bad : status >= 400 ? theme.warning : theme.good
    const result = paint(status === null ? '---' : String(status))
    const order = orderId === undefined ? '' : `  ${safeText(orderId)}`
    const said = message === undefined ? '' : `  ${safeText(message)}`
    const wrong = fault === undefined ? '' : `  ${theme.quiet(`(fault: ${fault})`)}`
    return `${clock}  ${method.padEnd(4)}  ${safeText(path).padEnd(14)}  ${result}  ${`${ms} ms`.padStart(6)}${order}${said}${wrong}\n`
  }
}

/** Where nobody read for too long. */
export const leftOutLine = (count: number): string =>
  `${count === 1 ? '1 request is' : `${count} requests are`} left out: nobody read on\n`
