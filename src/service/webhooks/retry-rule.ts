// Decides whether a failed delivery is sent again, and how long the receiver asks to wait.

/** After a failed attempt. `leastDelayMs` is what the receiver asks for. */
export type RetryRule = { readonly canRetry: boolean; readonly leastDelayMs: number }

export const retryAsUsual: RetryRule = { canRetry: true, leastDelayMs: 0 }
export const neverRetry: RetryRule = { canRetry: false, leastDelayMs: 0 }

/** As long as the longest delay without `Retry-After`. */
const longestRetryAfterMs = 600_000

type TargetResponse = { readonly status: number; readonly retryAfter: string | undefined }

// Spec silent: the meaning of these statuses. It is that of Standard Webhooks, and of HTTP.
export const chooseRetry = ({ status, retryAfter = '' }: TargetResponse, now: number): RetryRule => {
  if (status === 410) return neverRetry
  if (status !== 429 && status !== 503) return retryAsUsual
  return {
    canRetry: true,
    leastDelayMs: Math.min(readRetryAfter(retryAfter.trim(), now), longestRetryAfterMs),
  }
}

/** `Retry-After` is a number of seconds, or a date. */
const readRetryAfter = (value: string, now: number): number => {
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? 0 : Math.max(ms, 0)
}
