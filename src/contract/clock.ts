// Time and identity, injected together: half a clock is none.

export type Clock = {
  /** Milliseconds since the UNIX epoch. */
  now(): number
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A new random identifier. */
  newId(): string
}
