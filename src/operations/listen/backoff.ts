// The wait before the next attempt, which doubles after each failure.

const firstMs = 1_000
const longestMs = 5 * 60_000

/** `tries` counts the failures, from 1. */
export const findBackoff = (tries: number, mostMs = longestMs): number =>
  Math.min(firstMs * 2 ** Math.min(tries - 1, 30), mostMs)

/** Holds back all attempts while the other side is away. */
export const createGate = (mostMs: number) => {
  let tries = 0
  let until = 0
  return {
    get tries() {
      return tries
    },
    get until() {
      return until
    },
    /** Several attempts that fail at the same time count once. Returns the wait. */
    close: (now: number): number => {
      if (now >= until) {
        tries += 1
        until = now + findBackoff(tries, mostMs)
      }
      return until - now
    },
    open: (): void => {
      tries = 0
      until = 0
    },
  }
}
