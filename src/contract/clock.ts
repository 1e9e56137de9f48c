// Time and identity, injected together: half a clock is none.

export type Clock = {
  /** Milliseconds since the UNIX epoch. */
  now(): number
  /** Milliseconds since some moment: it never goes back, whatever becomes of the clock on the wall. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A new random identifier. */
  newId(): string
}
