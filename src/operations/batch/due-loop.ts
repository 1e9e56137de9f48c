// Runs work when it is due, with a limit on how much runs at once. One loop and one timer serve all items.

import { type Clock, createAlarm } from '../../contract/clock.ts'
import type { Pace } from './pace.ts'

type Options<Item> = Pick<Pace, 'ready'> & {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** How many items may run at once now. At least one always may. */
  readonly concurrency: () => number
  /** Ends the loop. */
  readonly signal: AbortSignal
  /** Never rejects. */
  readonly work: (item: Item) => Promise<void>
  /** Called at least once a second, except while the loop is full or waits for `ready`. */
  readonly onTick?: (() => void) | undefined
}

export type DueLoop<Item> = {
  readonly add: (ms: number, item: Item) => void
  /** Makes an item that waits due now. */
  readonly hasten: (item: Item) => void
}

const tickMs = 1_000
const longestPauseMs = 60_000

export const createDueLoop = <Item>(options: Options<Item>): DueLoop<Item> => {
  const { clock, concurrency, ready, signal, work, onTick } = options
  const queue = createDueQueue<Item>()
  let running = 0
  let isLooping = false
  const alarm = createAlarm(clock)

  const isFull = (): boolean => running >= Math.max(1, concurrency())
  const isDone = (): boolean => signal.aborted || (running === 0 && queue.nextAt() === undefined)

  const loop = async (): Promise<void> => {
    isLooping = true
    while (!isDone()) {
      await ready(signal)
      startDue()
      onTick?.()
      if (!isDone()) await alarm.sleep(findPause(), signal)
    }
    isLooping = false
  }

  const startDue = (): void => {
    while (!signal.aborted && !isFull()) {
      const item = queue.takeDue(clock.monotonic())
      if (item === undefined) return
      running += 1
      void work(item).finally(() => {
        running -= 1
        alarm.ring()
      })
    }
  }

  /** The alarm ends the pause if an item is added or hastened, or if work ends. */
  const findPause = (): number => {
    const next = queue.nextAt()
    if (next === undefined || isFull()) return longestPauseMs
    const ms = Math.max(0, next - clock.monotonic())
    return onTick === undefined ? ms : Math.min(ms, tickMs)
  }

  const add = (ms: number, item: Item): void => {
    queue.add(clock.monotonic() + ms, item)
    alarm.ring()
    if (!isLooping) void loop()
  }
  const hasten = (item: Item): void => {
    queue.advance(item, clock.monotonic())
    alarm.ring()
  }
  return { add, hasten }
}

export const createDueQueue = <Item>() => {
  /** The earliest one comes last. */
  const entries: { readonly at: number; readonly item: Item }[] = []
  const add = (at: number, item: Item): void => {
    const index = entries.findIndex((entry) => entry.at <= at)
    entries.splice(index === -1 ? entries.length : index, 0, { at, item })
  }
  return {
    add,
    /** When the earliest item is due. Undefined if the queue is empty. */
    nextAt: (): number | undefined => entries.at(-1)?.at,
    /** Removes and returns the earliest item if it is due. */
    takeDue: (now: number): Item | undefined =>
      (entries.at(-1)?.at ?? Number.POSITIVE_INFINITY) <= now ? entries.pop()?.item : undefined,
    /** Makes an item due earlier. Does nothing if it is not in the queue. */
    advance: (item: Item, at: number): void => {
      const index = entries.findIndex((entry) => entry.item === item)
      if (index === -1 || (entries[index]?.at ?? at) <= at) return
      entries.splice(index, 1)
      add(at, item)
    },
  }
}
