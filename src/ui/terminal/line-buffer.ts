// Many small lines written as few large ones: a write for each would cost a busy service a quarter of its time. Where
// nobody reads them, they are left out: they must neither fill the memory nor keep the service from its end.
type Sink = { offer(bytes: Uint8Array): number }
type Sleeper = { sleep(ms: number): Promise<void> }

// Nobody who reads along sees the difference.
const holdMs = 20
const mostBytes = 1024 * 1024
/** How long a reader is waited for at the end, at most. */
const lastMs = 1_000

/** `leftOut` is the line that stands where so many are missing. */
export const lineBuffer = (sink: Sink, clock: Sleeper, leftOut: (lines: number) => string) => {
  /** Taken up to the middle of a line, it may be. */
  let begun: Uint8Array = new Uint8Array()
  let held = ''
  let missing = 0
  let isWaiting = false
  let hasEnded = false

  const flush = (): void => {
    if (held !== '') begun = Buffer.concat([begun, Buffer.from(held)])
    held = ''
    if (begun.length > 0) begun = begun.subarray(sink.offer(begun))
    if (begun.length === 0 && missing > 0) {
      held = leftOut(missing)
      missing = 0
    }
    if (held !== '' || begun.length > 0) wait()
  }
  const wait = (): void => {
    if (isWaiting || hasEnded) return
    isWaiting = true
    void clock.sleep(holdMs).then(() => {
      isWaiting = false
      if (!hasEnded) flush()
    })
  }
  return {
    write: (line: string): void => {
      if (begun.length + held.length + line.length > mostBytes) {
        missing += 1
        return
      }
      held += line
      wait()
    },
    /** The last lines are written, unless nobody takes them. */
    end: async (): Promise<void> => {
      hasEnded = true
      for (let waited = 0; waited <= lastMs; waited += holdMs) {
        flush()
        if (begun.length === 0 && held === '') return
        await clock.sleep(holdMs)
      }
    },
  }
}
