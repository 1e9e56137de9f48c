// Decides what a slot of a batch needs next. The journal decides, so a first run, a run after a crash and two runs at
// once use the same steps.
import type { SlotLine } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/batches.ts'
import type { Entry } from '../../journal/entry.ts'
import { isHolding, isUnprovenOrder } from '../../journal/standings.ts'
import type { Spending } from '../deps.ts'
import { findExpiry, hasExpired } from '../expiry.ts'

export type Step =
  | { readonly kind: 'done' }
  | { readonly kind: 'create'; readonly lines: readonly SlotLine[] }
  /** The order was created earlier and is not confirmed. */
  | { readonly kind: 'confirm'; readonly entry: Entry }
  /** The order is confirmed: its cards are still to be recorded. */
  | { readonly kind: 'collect'; readonly entry: Entry }
  /** A confirm may have spent. */
  | { readonly kind: 'settle'; readonly entry: Entry }
  /** A create that another worker sent before it lost the slot may still get a response. */
  | { readonly kind: 'busy' }

type StepDeps = Pick<Spending, 'journal' | 'clock' | 'serviceNow'> & { readonly batches: Batches }

export const findNextStep = async (
  { journal, batches, clock, serviceNow }: StepDeps,
  { batch, slot }: { readonly batch: number; readonly slot: number },
): Promise<Step> => {
  const [lines, entries] = await Promise.all([
    batches.readLines(batch, slot),
    batches.listSlotOrders(batch, slot),
  ])
  if (lines.length === 0) return { kind: 'done' }
  const confirmed = entries.find(({ standing }) => standing === 'confirmed')
  if (confirmed !== undefined) return { kind: 'collect', entry: confirmed }
  const unproven = entries.find(isUnprovenOrder)
  if (unproven !== undefined) {
    // The service refused before it acted, so the order may be confirmed again until it expires.
    return unproven.standing === 'doubtful' && !hasExpired(findExpiry(unproven), serviceNow())
      ? { kind: 'confirm', entry: unproven }
      : { kind: 'settle', entry: unproven }
  }
  const created = entries.find(isHolding)
  if (created !== undefined) return { kind: 'confirm', entry: created }
  // Read after the orders, so that an order that another process has just created is not later.
  const now = clock.now()
  for (const entry of entries) if (await journal.isCreating(entry, now)) return { kind: 'busy' }
  return { kind: 'create', lines }
}
