// The slots that a run holds: claims them in groups, renews their leases in the background, and gives them back.
import type { Api } from '../../client/api.ts'
import { type Clock, repeat } from '../../contract/clock.ts'
import { Failure } from '../../errors.ts'
import type { Batch, Lease } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/batches.ts'
import type { Trouble } from '../../journal/batches/leases.ts'

/** A worker that was not seen for this time is lost. Longer than the default deadline of a call. */
export const defaultLeaseMs = 60_000
/** By this, a lease outlasts the calls of a run with a longer deadline. */
const marginMs = 15_000
/** Other machines wait for the leases of a dead worker. */
const longestLeaseMs = 5 * 60_000
const longestRenewalMs = 20_000

/** The processes of this machine. */
export type Processes = {
  /** The id of this process. */
  readonly own: number
  readonly isRunning: (id: number) => boolean
}

type Setup = {
  readonly session: { readonly api: Pick<Api, 'timeoutMs'>; readonly clock: Pick<Clock, 'sleep' | 'now'> }
  readonly batches: Batches
  readonly batch: Batch
  readonly processes: Processes
  readonly counter: { readonly trouble?: Trouble | undefined }
}

export type SlotLeases = Awaited<ReturnType<typeof openSlotLeases>>

/** Registers the worker. Its leases are renewed until it is disposed of. */
export const openSlotLeases = async ({ session, batches, batch, processes, counter }: Setup) => {
  const { api, clock } = session
  const callMs = Math.max(api.timeoutMs('create'), api.timeoutMs('confirm'))
  const leaseMs = Math.min(Math.max(defaultLeaseMs, callMs + marginMs), longestLeaseMs)
  await batches.addOpenSlots(batch.number)
  const worker = await batches.registerWorker(batch.number, processes.own)
  await batches.releaseDeadWorkers(worker, processes.isRunning)
  const holder = { batch: batch.number, worker }
  /** The fence of each slot. */
  const held = new Map<number, number>()
  const returned = new Set<number>()
  const closing = new AbortController()

  const renew = async (): Promise<void> => {
    // Slots that are claimed meanwhile are not lost.
    const before = [...held]
    const { trouble } = counter
    const waits = trouble && { reason: trouble.reason, forMs: clock.now() - trouble.since }
    const renewed = await batches.renewLeases(holder, leaseMs, waits)
    const still = new Map(renewed.map(({ slot, fence }) => [slot, fence]))
    for (const [slot, fence] of before)
      if (still.get(slot) !== fence && held.get(slot) === fence) held.delete(slot)
  }
  const renewEveryMs = Math.min(leaseMs / 3, longestRenewalMs)
  const renewing = clock.sleep(renewEveryMs, closing.signal).then(() =>
    repeat(clock, closing.signal, async () => {
      // If it fails, the leases may expire. Then the journal refuses the next intent to send.
      await renew().catch(ignoreFailure)
      return renewEveryMs
    }),
  )

  return {
    holds: (slot: number): boolean => held.has(slot),
    /** The lease of a slot that is not held matches no lease of the journal. */
    leaseOf: (slot: number): Lease => ({ worker, fence: held.get(slot) ?? 0, ms: leaseMs }),

    /** Claims up to `count` slots, but none of `others`. */
    claim: async (count: number, others: readonly number[]): Promise<number[]> => {
      const release = [...returned]
      const except = new Set([...others, ...held.keys()])
      const claimed = await batches.claimSlots(holder, { count, leaseMs, release, except })
      for (const slot of release) returned.delete(slot)
      for (const { slot, fence } of claimed) held.set(slot, fence)
      return claimed.map(({ slot }) => slot)
    },
    /** Finds slots that were split off, and those of dead workers. */
    findMore: async (): Promise<void> => {
      await batches.releaseDeadWorkers(worker, processes.isRunning)
      await batches.addOpenSlots(batch.number)
    },
    /** Whether others buy slots, or could give back slots that this run has not given up. */
    hasSlotsLeft: (givenUp: readonly number[]): Promise<boolean> => batches.hasSlotsLeft(holder, givenUp),

    /** Another worker may have claimed the slot. */
    forget: (slot: number): void => void held.delete(slot),
    /** The next claim releases the slot. */
    giveBack: (slot: number): void => {
      if (held.delete(slot)) returned.add(slot)
    },
    /** Releases the slots that were given back. */
    release: async (): Promise<void> => {
      const release = [...returned]
      if (release.length === 0) return
      await batches.releaseSlots(holder, release)
      for (const slot of release) returned.delete(slot)
    },
    /** Releases all slots. */
    [Symbol.asyncDispose]: async (): Promise<void> => {
      closing.abort()
      await renewing
      await batches.endWorker(worker).catch(ignoreFailure)
    },
  }
}

/** What could not be released expires. */
const ignoreFailure = (error: unknown): void => {
  if (!(error instanceof Failure)) throw error
}
