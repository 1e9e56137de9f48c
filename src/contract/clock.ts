// The source of time and random ids, injected so that tests control both.

export type Clock = {
  /** Milliseconds since the UNIX epoch. */
  now(): number
  /** Milliseconds from an arbitrary start. It never goes back, even if the system clock is changed. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  newId(): string
}
