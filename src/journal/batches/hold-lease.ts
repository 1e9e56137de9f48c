// Checks, in the transaction that records the intent to send, that the worker still holds the slot.
import type { Statements } from '../database/database.ts'
import type { Claim } from './batch.ts'

/**
 * Whether the worker of the claim holds its slot. Until the end of the transaction, no other worker can claim it. Its
 * lease begins anew, so that it outlasts the call that the transaction records.
 */
export const holdLease = async (
  { run, dialect }: Statements,
  { batch, slot, lease }: Pick<Claim, 'batch' | 'slot' | 'lease'>,
): Promise<boolean> => {
  if (lease === undefined) return true
  const { worker, fence, ms } = lease
  const changed = await run(
    `UPDATE slot_leases SET until = ${dialect.now} + $ms
     WHERE batch = $batch AND slot = $slot AND worker = $worker AND fence = $fence AND until > ${dialect.now}`,
    { batch, slot, worker, fence, ms },
  )
  return changed > 0
}
