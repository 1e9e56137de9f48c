// A request that the embedded service saw, on one line.
import { safeText } from './safe-text.ts'
import type { Theme } from './theme.ts'

export type SeenRequest = {
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number | null
  readonly ms: number
  readonly orderId?: string
  readonly message?: string
  readonly fault?: string
}

export const requestLine = (seen: SeenRequest, theme: Theme): string => {
  const { method, path, status, ms, orderId, message, fault } = seen
  const paint = status === null || status >= 500 ? theme.bad : status >= 400 ? theme.warning : theme.good
  const parts = [
    // By the clock on the reader's wall.
    theme.quiet(new Date(seen.at).toTimeString().slice(0, 8)),
    method.padEnd(4),
    safeText(path).padEnd(14),
    paint(status === null ? '---' : String(status)),
    `${ms} ms`.padStart(6),
    orderId === undefined ? undefined : safeText(orderId),
    message === undefined ? undefined : safeText(message),
    fault === undefined ? undefined : theme.quiet(`(fault: ${fault})`),
  ]
  return `${parts.filter((part) => part !== undefined).join('  ')}\n`
}
