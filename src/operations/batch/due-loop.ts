// Runs work when it is due, with a limit on how much runs at once. One loop and one timer serve all items.
import type { Clock } from '../../contract/clock.ts'
import { createDueQueue } from './due-queue.ts'
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

export const createDueLoop = <Item>(options: Options<Item>): DueLoop<Item> => {
  const { clock, concurrency, ready, signal, work, onTick } = options
  const queue = createDueQueue<Item>()
  let running = 0
  let isLooping = false
  let pause = new AbortController()

  const wake = (): void => pause.abort()
  const isFull = (): boolean => running >= Math.max(1, concurrency())
  const isDone = (): boolean => signal.aborted || (running === 0 && queue.nextAt() === undefined)

  const loop = async (): Promise<void> => {
    isLooping = true
    signal.addEventListener('abort', wake)
    while (!isDone()) {
      await ready(signal)
      startDue()
      onTick?.()
      if (!isDone()) await pauseUntilNext()
    }
    signal.removeEventListener('abort', wake)
    isLooping = false
  }

  const startDue = (): void => {
    while (!signal.aborted && !isFull()) {
      const item = queue.takeDue(clock.monotonic())
      if (item === undefined) return
      running += 1
      void work(item).finally(() => {
        running -= 1
        wake()
      })
    }
  }

  /** Ends early when an item is added or hastened, work ends or the signal aborts. */
  const pauseUntilNext = async (): Promise<void> => {
    pause = new AbortController()
    const next = queue.nextAt()
    if (next !== undefined && !isFull()) {
      const ms = Math.max(0, next - clock.monotonic())
      return clock.sleep(onTick === undefined ? ms : Math.min(ms, tickMs), pause.signal)
    }
    await new Promise<void>((resolve) => pause.signal.addEventListener('abort', () => resolve()))
  }

  const add = (ms: number, item: Item): void => {
    queue.add(clock.monotonic() + ms, item)
    wake()
    if (!isLooping) void loop()
  }
  const hasten = (item: Item): void => {
    queue.advance(item, clock.monotonic())
    wake()
  }
  return { add, hasten }
}
