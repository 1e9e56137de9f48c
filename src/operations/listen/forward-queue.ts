// Sends the deliveries in the spool to the target, those of one order in sequence, until it answers 2xx.
import type { Clock } from '../../contract/clock.ts'
import type { Delivery } from '../../webhooks/delivery.ts'
import type { ForwardError, SpoolFile } from '../../webhooks/spool.ts'
import { createAlarm } from '../alarm.ts'
import { createGate, findBackoff } from './backoff.ts'

/** `error`: there was no answer. */
export type Sent = { readonly status: number } | { readonly error: string }

/** Sends a delivery once. Never rejects. */
export type Send = (file: SpoolFile, delivery: Delivery) => Promise<Sent>

type Options = {
  readonly spool: {
    read(file: SpoolFile): Delivery | undefined
    remove(file: SpoolFile): void
    noteError(error: ForwardError): void
    clearError(): void
  }
  readonly send: Send
  readonly clock: Clock
  readonly onForwarded: (file: SpoolFile) => void
  /** Called when an attempt fails. It is repeated after the wait. */
  readonly onFailed: (file: SpoolFile, reason: string, waitMs: number) => void
}

/** The deliveries of one order. */
type Line = { readonly files: SpoolFile[]; tries: number; dueAt: number; isSending: boolean }

const maxSending = 4
const longestSleepMs = 60_000
/** Shorter than the longest wait of a delivery, which may be the only one that the target does not answer. */
const longestGateMs = 30_000

export const isAccepted = (sent: Sent): boolean =>
  'status' in sent && sent.status >= 200 && sent.status <= 299

export const describeSent = (sent: Sent): string => {
  if ('error' in sent) return sent.error
  return sent.status >= 300 && sent.status <= 399
    ? `HTTP ${sent.status}: a redirect, which is not followed`
    : `HTTP ${sent.status}`
}

export const createForwardQueue = ({ spool, send, clock, onForwarded, onFailed }: Options) => {
  const lines = new Map<string, Line>()
  const sending = new Set<Promise<void>>()
  /** Closed while the target does not answer at all. */
  const gate = createGate(longestGateMs)
  const alarm = createAlarm(clock)

  const finish = (orderId: string, line: Line, file: SpoolFile): void => {
    line.files.shift()
    line.tries = 0
    line.dueAt = 0
    if (line.files.length === 0) lines.delete(orderId)
    spool.remove(file)
  }

  const fail = (line: Line, file: SpoolFile, sent: Sent): void => {
    const now = clock.monotonic()
    line.tries += 1
    const ownMs = findBackoff(line.tries)
    const waitMs = 'error' in sent ? Math.max(gate.close(now), ownMs) : ownMs
    line.dueAt = now + waitMs
    spool.noteError({ at: clock.now(), reason: describeSent(sent), tries: line.tries })
    onFailed(file, describeSent(sent), waitMs)
  }

  const sendFirst = async (orderId: string, line: Line, signal: AbortSignal): Promise<void> => {
    const [file] = line.files
    const delivery = file && spool.read(file)
    // The file was deleted or is damaged.
    if (file === undefined || delivery === undefined) return void (file && finish(orderId, line, file))
    const sent = await send(file, delivery)
    if (isAccepted(sent)) {
      gate.open()
      spool.clearError()
      finish(orderId, line, file)
      onForwarded(file)
    } else if (!signal.aborted) fail(line, file, sent)
  }

  const start = (orderId: string, line: Line, signal: AbortSignal): void => {
    line.isSending = true
    const work: Promise<void> = sendFirst(orderId, line, signal).finally(() => {
      line.isSending = false
      sending.delete(work)
      alarm.ring()
    })
    sending.add(work)
  }

  /** The order that has been due for the longest time, so that one that always fails does not delay the others. */
  const findDue = (now: number): string | undefined => {
    let [found, first]: [string | undefined, number] = [undefined, now]
    for (const [orderId, { isSending, dueAt }] of lines) {
      if (isSending || dueAt > first) continue
      if (dueAt === 0) return orderId
      found = orderId
      first = dueAt
    }
    return found
  }

  const startDue = (signal: AbortSignal): void => {
    const now = clock.monotonic()
    if (now < gate.until) return
    // While the target is away, one delivery at a time tries it.
    const most = gate.tries > 0 ? 1 : maxSending
    while (sending.size < most) {
      const orderId = findDue(now)
      const line = lines.get(orderId ?? '')
      if (orderId === undefined || line === undefined) return
      start(orderId, line, signal)
    }
  }

  const findPause = (): number => {
    const now = clock.monotonic()
    let first = now + longestSleepMs
    for (const { isSending, dueAt } of lines.values()) {
      if (!isSending) first = Math.min(first, dueAt)
      if (first <= now) break
    }
    // If all places are taken, the end of an attempt rings.
    if (sending.size > 0 && first <= now) return longestSleepMs
    return Math.max(first, gate.until) - now
  }

  return {
    add: (file: SpoolFile): void => {
      const line = lines.get(file.orderId) ?? { files: [], tries: 0, dueAt: 0, isSending: false }
      line.files.push(file)
      lines.set(file.orderId, line)
      alarm.ring()
    },

    /** Runs until aborted, and finishes the attempts in progress. What was not accepted by then stays in the spool. */
    run: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        startDue(signal)
        await alarm.sleep(Math.max(1, findPause()), signal)
      }
      await Promise.all(sending)
    },
  }
}
