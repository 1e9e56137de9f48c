// Creates the order of a slot, and splits the slot if the service refuses one product.
import { decimal } from '../../contract/decimal.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { Failure } from '../../errors.ts'
import { type Claim, formatLines, type SlotLine } from '../../journal/batches/batch.ts'
import type { WantedCard } from '../../journal/batches/slot-cards.ts'
import { refuseChanges } from '../compare.ts'
import { readForConfirm } from '../confirm/read-for-confirm.ts'
import { offerOf } from '../offer.ts'
import { place } from '../place.ts'
import type { BatchRun, SlotEnd } from './batch-run.ts'
import { confirmOffer } from './confirm-slot.ts'
import { isProductRefusal, isSameProduct, splitRefused } from './refused-products.ts'

type CreateWork = { readonly lines: readonly SlotLine[]; readonly release: () => void }

export const placeSlot = async (run: BatchRun, slot: number, work: CreateWork): Promise<SlotEnd | 'next'> => {
  const { deps, batch } = run
  if (await failRefusedProducts(run, slot, work.lines)) return 'next'
  await run.pace.ready(deps.interrupted)
  const request = await toRequest(run, slot, work.lines)
  const claim: Claim = {
    batch: batch.number,
    slot,
    lines: formatLines(work.lines),
    lease: run.leases.leaseOf(slot),
  }
  try {
    const placed = await place(deps, request, { claim })
    const { created, expiresAt, reference, sameId } = placed
    // The id was used before, so the answer may be an old one. The order itself must be the new one.
    if (sameId.length > 0) refuseChanges(created.id, (await readForConfirm(deps, created.id)).differences)
    return await confirmOffer(run, offerOf(created, { reference, expiresAt }), {
      claim,
      release: work.release,
    })
  } catch (error) {
    if (!(error instanceof Failure) || !isProductRefusal(error)) throw error
    return splitSlot(run, slot, work.lines, error)
  }
}

/** The reference of an earlier order that was lost is not used again. */
const toRequest = async (
  { deps, batch }: BatchRun,
  slot: number,
  lines: readonly SlotLine[],
): Promise<OrderRequest> => {
  const first = `${batch.name}-${String(slot).padStart(4, '0')}`
  let reference = first
  for (let attempt = 2; await isUsed(deps, reference); attempt += 1) {
    reference = `${first}-${attempt}`
  }
  const productList = lines.map(({ quote, ...line }) => ({ ...line, quote: decimal(quote) }))
  return { productList, wallet: batch.wallet, reference }
}

const isUsed = async ({ journal, owner }: BatchRun['deps'], reference: string): Promise<boolean> => {
  const orders = await journal.findByReference(owner, reference)
  return orders.length > 0
}

/** Products that were refused alone would only be refused again. Returns whether the slot had any. */
const failRefusedProducts = async (
  run: BatchRun,
  slot: number,
  lines: readonly SlotLine[],
): Promise<boolean> => {
  const { batches, batch, refused, deps } = run
  const at = deps.clock.now()
  let hasFailed = false
  for (const line of lines) {
    const said = refused.find(line)
    if (said === undefined) continue
    const isSame = (card: WantedCard): boolean => isSameProduct(card, line)
    const count = await batches.failCards({ batch: batch.number, slot, at }, isSame, said)
    if (count > 0) hasFailed = true
  }
  return hasFailed
}

const splitSlot = async (
  run: BatchRun,
  slot: number,
  lines: readonly SlotLine[],
  { details: { refusal = '', said = '' } }: Failure,
): Promise<SlotEnd | 'next'> => {
  const { batches, batch, deps } = run
  const group = splitRefused(lines, refusal)
  if (group !== undefined) {
    const slots = await batches.repackSlots(batch.number, [slot], deps.clock.now(), group)
    return { kind: 'split', slots }
  }
  for (const line of lines) run.refused.add(line, said)
  return 'next'
}
