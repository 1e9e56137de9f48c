// The pauses of a watch between its polls. Meanwhile, it looks at the journal.

import { createAlarm } from '../../contract/clock.ts'
import type { ShownOrder } from '../../journal/shown-orders.ts'
import { createOrderChanges, lookEveryMs } from './order-changes.ts'
import { hasEnded, noteChange, type Progress } from './progress.ts'
import type { WatchOptions } from './watch-options.ts'

export const createPauser = (progress: Progress, options: WatchOptions) => {
  const { clock, interrupted, forState, readShown, onNotice, onEnd, onTick } = options
  const { open, urgent } = progress
  const alarm = createAlarm(clock)

  const onChange = (shown: ShownOrder, before: ShownOrder | undefined): void => {
    const given = { shown, isFirstLook: before === undefined, needsAnswer: onNotice === undefined }
    const notice = noteChange(progress, given)
    if (notice !== undefined && hasEnded(notice.state, forState)) {
      open.delete(notice.uid)
      onEnd?.(notice.uid)
    }
    if (notice !== undefined) onNotice?.(notice)
    if (urgent.size > 0 || open.size === 0) alarm.ring()
  }
  const look = createOrderChanges({ clock, read: readShown, onChange })
  const tickMs = onTick === undefined && readShown === undefined ? Number.POSITIVE_INFINITY : lookEveryMs

  /** Returns early if an order must be read at once, or none is left. Returns what is left of the time. */
  return async (ms: number): Promise<number> => {
    let left = ms
    const isOver = (): boolean => left <= 0 || interrupted.aborted || urgent.size > 0 || open.size === 0
    while (!isOver()) {
      look(open)
      const slice = Math.min(left, tickMs)
      const isRung = await alarm.sleep(slice, interrupted)
      if (!isRung) left -= slice
      onTick?.()
    }
    return left
  }
}
