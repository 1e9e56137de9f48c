// The deliveries between their receipt and the target: in the spool, recorded in the journal, then forwarded.
import type { Clock } from '../../contract/clock.ts'
import type { Delivery } from '../../webhooks/delivery.ts'
import type { Spool, SpooledFacts, SpoolFile } from '../../webhooks/spool.ts'
import { createAlarm } from '../alarm.ts'
import type { Accepted, Outbox } from './accept-delivery.ts'
import { findBackoff } from './backoff.ts'
import { createForwardQueue, type Send } from './forward-queue.ts'

const maxSpoolBytes = 64 * 1024 * 1024
const longestPauseMs = 10_000

type Options = {
  readonly spool: Spool
  readonly send: Send
  readonly clock: Clock
  readonly maxBytes?: number
  readonly onForwarded: (file: SpoolFile) => void
  readonly onFailed: (file: SpoolFile, reason: string, waitMs: number) => void
}

type Recorder = {
  /** Throws if the journal cannot be written. */
  readonly record: (file: SpoolFile) => Promise<Accepted>
  readonly onNeedsCheck: (accepted: Accepted) => void
}

/** `recorder` may be set later, because it writes to the same outbox. */
export const createOutbox = (options: Options) => {
  const { spool, send, clock, maxBytes = maxSpoolBytes, onForwarded, onFailed } = options
  /** An earlier process, or a failure of the journal, left them unrecorded. */
  const unrecorded = spool.list()
  let bytes = unrecorded.reduce((sum, file) => sum + file.bytes, 0)
  const alarm = createAlarm(clock)

  const remove = (file: SpoolFile): void => {
    try {
      spool.remove(file)
      bytes -= file.bytes
    } catch {
      // The next process finds it, and sends it with the same id.
    }
  }

  const queue = createForwardQueue({
    spool: { ...spool, remove },
    send,
    clock,
    onForwarded,
    onFailed,
  })

  const recordAll = async ({ record, onNeedsCheck }: Recorder, signal: AbortSignal): Promise<void> => {
    for (let tries = 0; !signal.aborted; ) {
      const [file] = unrecorded
      if (file === undefined) {
        await alarm.sleep(longestPauseMs, signal)
        continue
      }
      try {
        const accepted = await record(file)
        unrecorded.shift()
        tries = 0
        if (accepted.kind === 'accepted') queue.add(file)
        else remove(file)
        if (accepted.needsCheck) onNeedsCheck(accepted)
      } catch {
        tries += 1
        await clock.sleep(findBackoff(tries, longestPauseMs), signal)
      }
    }
  }

  const outbox: Outbox = {
    save: (facts: SpooledFacts, delivery: Delivery) => {
      if (bytes + delivery.body.length > maxBytes) return undefined
      const file = spool.save(facts, delivery)
      bytes += file.bytes
      return file
    },
    forward: queue.add,
    discard: remove,
    recordLater: (file) => {
      unrecorded.push(file)
      alarm.ring()
    },
  }

  return {
    ...outbox,
    /** Left by an earlier process. */
    countUnrecorded: (): number => unrecorded.length,
    /** Runs until aborted. */
    run: async (recorder: Recorder, signal: AbortSignal): Promise<void> =>
      void (await Promise.all([recordAll(recorder, signal), queue.run(signal)])),
  }
}
