// Joins many short lines into few writes, and drops lines if the reader stalls. A write for each line would cost a busy
// service a quarter of its time. Waiting for the reader would fill the memory and keep the service from stopping.
type Sink = { offer(bytes: Uint8Array): number }
type Sleeper = { sleep(ms: number): Promise<void> }

const holdMs = 20
const maxBytes = 1024 * 1024
/** The longest wait for the reader at the end. */
const maxEndMs = 1_000

/** `dropNotice` returns the line to write after `count` lines were dropped. */
export const lineBuffer = (sink: Sink, clock: Sleeper, dropNotice: (count: number) => string) => {
  /** What the sink did not accept yet. The first line may be written in part, so it must be completed. */
  let pending: Uint8Array = new Uint8Array()
  let held = ''
  let dropped = 0
  let isWaiting = false
  let hasEnded = false

  const flush = (): void => {
    if (held !== '') pending = Buffer.concat([pending, Buffer.from(held)])
    held = ''
    if (pending.length > 0) pending = pending.subarray(sink.offer(pending))
    if (pending.length === 0 && dropped > 0) {
      held = dropNotice(dropped)
      dropped = 0
    }
    if (held !== '' || pending.length > 0) scheduleFlush()
  }
  const scheduleFlush = (): void => {
    if (isWaiting || hasEnded) return
    isWaiting = true
    void clock.sleep(holdMs).then(() => {
      isWaiting = false
      if (!hasEnded) flush()
    })
  }
  return {
    write: (line: string): void => {
      if (pending.length + held.length + line.length > maxBytes) dropped += 1
      else {
        held += line
        scheduleFlush()
      }
    },
    /** Writes the last lines, unless the reader stalls. */
    end: async (): Promise<void> => {
      hasEnded = true
      for (let waited = 0; waited <= maxEndMs; waited += holdMs) {
        flush()
        if (pending.length === 0 && held === '') return
        await clock.sleep(holdMs)
      }
    },
  }
}

/** For people. A log in JSON has a notice of its own. */
export const renderDropped = (count: number): string =>
  `… ${count === 1 ? '1 line was' : `${count} lines were`} dropped: the reader stalled\n`
