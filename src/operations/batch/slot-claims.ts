// Decides when a run claims slots: in groups, before its queue is empty.
import { type RunState, recordError } from './apply-end.ts'
import type { BatchRun } from './batch-run.ts'

/** After a claim that found too few slots. */
const waitMs = 1_000
/** How many slots a run holds for each order in progress. */
const slotsPerOrder = 2

export type SlotClaims = ReturnType<typeof createSlotClaims>

export const createSlotClaims = ({ leases, pace, deps }: BatchRun, state: RunState) => {
  const { queue, setAside, givenUp, inProgress } = state
  const { clock } = deps
  let claiming: Promise<void> | undefined
  let dueAt = Number.NEGATIVE_INFINITY

  const listExcluded = (): number[] => [...setAside.keys(), ...givenUp]

  const claim = async (): Promise<number> => {
    if (state.hasNewSlots === true) {
      state.hasNewSlots = false
      await leases.findMore()
    }
    const count = pace.limit() * slotsPerOrder - queue.countReady()
    const claimed = await leases.claim(count, [...listExcluded(), ...inProgress])
    if (claimed.length < count) dueAt = clock.monotonic() + waitMs
    queue.add(claimed)
    return claimed.length
  }

  const isDue = (): boolean => clock.monotonic() >= dueAt || state.hasNewSlots === true

  return {
    isClaiming: (): boolean => claiming !== undefined,

    /** Claims in the background if the queue is short, so that no order waits for it. */
    claimAhead: (): void => {
      const isShort = !queue.isIdle() && queue.countReady() < pace.limit()
      if (!isShort || claiming !== undefined || !isDue()) return
      claiming = claim()
        .then(
          () => {},
          (error) => recordError(state, error),
        )
        .finally(() => {
          claiming = undefined
          queue.notify()
        })
    },

    /** For an idle queue. Returns whether it has slots again. */
    claimRest: async (): Promise<boolean> => {
      if ((await claim()) > 0) return true
      state.hasNewSlots = true
      return (await claim()) > 0
    },

    /** Whether other workers buy slots that this run could buy after them. */
    hasSlotsLeft: (): Promise<boolean> => leases.hasSlotsLeft(listExcluded()),

    /** Releases the slots that are not in progress. */
    end: async (): Promise<void> => {
      await claiming
      for (const slot of queue.takeWaiting()) leases.giveBack(slot)
      await leases.release()
    },
  }
}
