// A log that nobody has to read: lines that the reader does not accept wait, up to a megabyte, and further ones are dropped.
// Waiting for the reader would fill the memory, and keep the process from ending.
type Sink = { offer(bytes: Uint8Array): number }
type Sleeper = { sleep(ms: number): Promise<void> }

const maxBytes = 1024 * 1024
const retryMs = 20
/** The longest wait for the reader at the end. */
const maxEndMs = 1_000

/** `describeDropped` returns the line that takes the place of so many dropped lines. */
export const createLineLog = (sink: Sink, clock: Sleeper, describeDropped: (count: number) => string) => {
  /** The first line may be written in part, so it must be completed. */
  let pending: Uint8Array[] = []
  let size = 0
  let dropped = 0
  let isWaiting = false
  const add = (line: string): void => {
    const bytes = Buffer.from(line)
    pending.push(bytes)
    size += bytes.length
  }
  const flush = (): void => {
    const bytes = Buffer.concat(pending)
    const rest = bytes.subarray(sink.offer(bytes))
    pending = [rest]
    size = rest.length
    if (dropped > 0 && size <= maxBytes) {
      add(describeDropped(dropped))
      dropped = 0
    }
    if (size === 0) return
    isWaiting = true
    void clock.sleep(retryMs).then(() => {
      isWaiting = false
      flush()
    })
  }
  return {
    write: (line: string): void => {
      if (size > maxBytes) {
        dropped += 1
        return
      }
      add(line)
      if (!isWaiting) flush()
    },
    /** Writes the last lines, unless the reader stalls. */
    end: async (): Promise<void> => {
      for (let waited = 0; size > 0 && waited < maxEndMs; waited += retryMs) await clock.sleep(retryMs)
      pending = []
      size = 0
      dropped = 0
    },
  }
}

export const describeDroppedLines = (count: number): string =>
  `… ${count === 1 ? '1 line was' : `${count} lines were`} dropped: the reader stalled\n`
