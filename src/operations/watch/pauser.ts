// The pauses of a watch between its polls. Meanwhile, it looks at the journal.
import type { ShownOrder } from '../../journal/listeners/shown-orders.ts'
import { createOrderChanges, lookEveryMs } from './order-changes.ts'
import { hasEnded, noteChange, type Progress } from './progress.ts'
import type { WatchOptions } from './watch-options.ts'

export const createPauser = (progress: Progress, options: WatchOptions) => {
  const { clock, interrupted, forState, readShown, onNotice, onEnd, onTick } = options
  const { open, urgent } = progress
  let wake = new AbortController()

  const onChange = (shown: ShownOrder, before: ShownOrder | undefined): void => {
    const given = { shown, isFirstLook: before === undefined, needsAnswer: onNotice === undefined }
    const notice = noteChange(progress, given)
    if (notice !== undefined && hasEnded(notice.state, forState)) {
      open.delete(notice.uid)
      onEnd?.(notice.uid)
    }
    if (notice !== undefined) onNotice?.(notice)
    if (urgent.size > 0 || open.size === 0) wake.abort()
  }
  const changes = createOrderChanges({ clock, read: readShown, onChange })
  const tickMs = onTick === undefined && readShown === undefined ? Number.POSITIVE_INFINITY : lookEveryMs

  /** Returns early if an order must be read at once, or none is left. Returns what is left of the time. */
  const pause = async (ms: number): Promise<number> => {
    wake = new AbortController()
    const signal = readShown === undefined ? interrupted : AbortSignal.any([interrupted, wake.signal])
    let left = ms
    const isOver = (): boolean => left <= 0 || signal.aborted || urgent.size > 0 || open.size === 0
    while (!isOver()) {
      changes.look(open)
      const slice = Math.min(left, tickMs)
      await clock.sleep(slice, signal)
      if (!wake.signal.aborted) left -= slice
      onTick?.()
    }
    return left
  }
  return { changes, pause }
}
