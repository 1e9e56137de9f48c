// A log that nobody has to read: lines that the reader does not accept wait, up to a megabyte, and further ones are dropped.
// Waiting for the reader would fill the memory, and keep the process from ending.
type Sink = { offer(bytes: Uint8Array): number }
type Sleeper = { sleep(ms: number): Promise<void> }

const maxBytes = 1024 * 1024
const retryMs = 20
/** The longest wait for the reader at the end. */
const maxEndMs = 1_000

export const createLineLog = (sink: Sink, clock: Sleeper) => {
  /** The first line may be written in part, so it must be completed. */
  let pending: Uint8Array = new Uint8Array()
  let isWaiting = false
  const flush = (): void => {
    pending = pending.subarray(sink.offer(pending))
    if (pending.length === 0 || isWaiting) return
    isWaiting = true
    void clock.sleep(retryMs).then(() => {
      isWaiting = false
      flush()
    })
  }
  return {
    write: (line: string): void => {
      if (pending.length > maxBytes) return
      pending = Buffer.concat([pending, Buffer.from(line)])
      flush()
    },
    /** Writes the last lines, unless the reader stalls. */
    end: async (): Promise<void> => {
      for (let waited = 0; pending.length > 0 && waited < maxEndMs; waited += retryMs)
        await clock.sleep(retryMs)
      pending = new Uint8Array()
    },
  }
}
