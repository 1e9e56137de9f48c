// Reads orders until each has what the caller waits for. Each order has its own timer.

import type { Session } from './dependencies.ts'
import { type Asking, type NamedOrder, observeOrder } from './read.ts'
import { type Sight, viewOrder } from './view.ts'

export type ObserverOptions = Asking &
  Pick<Session, 'interrupted'> & {
    /** At least 0 and less than 1. */
    readonly random: () => number
    /** Resolves when a request may be sent. */
    readonly ready?: (signal: AbortSignal) => Promise<void>
    /** How many orders may be read at once now. At least one always may. */
    readonly concurrency?: () => number
    /** Before the first read of an order, and after a change. The interval grows while nothing changes. */
    readonly firstIntervalMs: number
    readonly waitsFirst: boolean
    /** This run has confirmed the orders, or found them confirmed. */
    readonly isConfirmed?: boolean
    /** The interval does not grow. */
    readonly isFixed?: boolean
    /** Called after each read. Returns whether the order has changed. */
    readonly onRead: (orderId: string, sight: Sight) => Promise<boolean> | boolean
    /**
     * Whether waiting ends. `sinceOpenMs`: for how long the `wait` of the view has not been 'open'. `unchangedMs`: since the last change.
     */
    readonly isOver: (orderId: string, sight: Sight, sinceOpenMs: number, unchangedMs: number) => boolean
  }

/** How often a process looks at the journal while it waits. */
export const lookEveryMs = 1_000
const maxIntervalMs = 10_000
const growth = 1.5

export type Observer = ReturnType<typeof createObserver>

export const createObserver = (options: ObserverOptions) => {
  const { clock, interrupted, random, onRead, isOver } = options
  const { concurrency = () => Number.POSITIVE_INFINITY, firstIntervalMs, isFixed = false } = options
  const { isConfirmed = false } = options
  const open = new Map<string, Promise<Sight | undefined>>()
  const stopping = new AbortController()
  const signal = AbortSignal.any([interrupted, stopping.signal])
  const turns: (() => void)[] = []
  let reading = 0

  const startTurns = (): void => {
    const free = Math.max(1, concurrency()) - reading
    for (const start of turns.splice(0, Math.max(0, free))) start()
  }

  const read = async (named: NamedOrder): Promise<Sight> => {
    await options.ready?.(signal)
    while (reading >= Math.max(1, concurrency()) && !signal.aborted)
      await new Promise<void>((resolve) => turns.push(resolve))
    reading += 1
    try {
      const observed = await observeOrder(options, named, signal)
      const times = { now: clock.now(), serviceNow: observed.response.serverTime }
      const wanted = { wants: 'final', isConfirmed, cards: observed.cards } as const
      return { ...observed, view: viewOrder(observed.known, observed.response, { ...times, ...wanted }) }
    } finally {
      reading -= 1
      startTurns()
    }
  }

  /** Resolves to undefined if it is stopped. */
  const poll = async (named: NamedOrder, onSight?: (sight: Sight) => void): Promise<Sight | undefined> => {
    const { orderId } = named
    let intervalMs = firstIntervalMs
    let openAt = clock.monotonic()
    let changedAt = openAt
    if (options.waitsFirst) await clock.sleep(intervalMs, signal)
    while (!signal.aborted) {
      const sight = await read(named)
      if (signal.aborted && sight.response.kind !== 'done') break
      const now = clock.monotonic()
      if (sight.view.wait === 'open') openAt = now
      const isChanged = await onRead(orderId, sight)
      onSight?.(sight)
      if (isChanged) changedAt = now
      if (isOver(orderId, sight, now - openAt, now - changedAt)) return sight
      if (isChanged) intervalMs = firstIntervalMs
      // Jitter keeps many watchers from polling at the same moment.
      await clock.sleep(isFixed ? intervalMs : Math.round(intervalMs * (0.8 + 0.4 * random())), signal)
      if (!isFixed) intervalMs = Math.min(intervalMs * growth, maxIntervalMs)
    }
    return undefined
  }

  const endTurns = (): void => {
    for (const start of turns.splice(0)) start()
  }
  signal.addEventListener('abort', endTurns, { once: true })

  return {
    /** Resolves when waiting is over, or to undefined if the observer was stopped or interrupted. */
    until: (named: NamedOrder, onSight?: (sight: Sight) => void): Promise<Sight | undefined> => {
      const { orderId } = named
      const known = open.get(orderId)
      if (known !== undefined) return known
      const result = poll(named, onSight).finally(() => open.delete(orderId))
      open.set(orderId, result)
      return result
    },
    once: read,
    stop: () => stopping.abort(),
    /** Stops and resolves when no read is in progress, so that the journal can be closed. */
    finish: async (): Promise<void> => {
      stopping.abort()
      await Promise.allSettled(open.values())
    },
  }
}
