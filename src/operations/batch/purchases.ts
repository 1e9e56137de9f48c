// Finds the orders that bought, or may have bought, the cards of a batch.
import { Failure } from '../../errors.ts'
import type { Batch, StoredCard } from '../../journal/batches/batch.ts'
import { openBatches } from '../../journal/batches/open-batches.ts'
import type { Entry } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Damage } from '../../journal/row.ts'

export type OrderName = { readonly orderId: string; readonly reference: string }

/** The confirmed order of a slot. The request is left out, because a batch may have ten thousand orders. */
export type Purchase = OrderName & Pick<Entry, 'number'> & Damage & { readonly slot: number }

export type Purchases = {
  readonly confirmed: readonly Purchase[]
  /** By slot: the orders with a confirm whose outcome is not proven. */
  readonly unproven: ReadonlyMap<number, OrderName>
}

/** Throws if the journal has lost the order of a delivered card. */
export const findPurchases = async (
  journal: Journal,
  batch: Batch,
  cards: readonly Pick<StoredCard, 'slot' | 'state'>[],
): Promise<Purchases> => {
  const slotsWith = (state: StoredCard['state']) =>
    new Set(cards.filter((card) => card.state === state).map(({ slot }) => slot))
  const [wanted, delivered] = [slotsWith('wanted'), slotsWith('delivered')]
  const confirmed: Purchase[] = []
  const unproven = new Map<number, OrderName>()
  // Read before the orders: an order that is confirmed meanwhile must not count as one that was never bought.
  const { listOrders, listUnknown } = openBatches(journal)
  const allUnproven = await listUnknown(batch.number)
  const unknown = new Set(allUnproven.map(({ number }) => number))
  const allOrders = await listOrders(batch.number)
  const bySlot = Map.groupBy(allOrders, ({ slot }) => slot)
  for (let slot = 1; slot <= batch.lastSlot; slot += 1) {
    const orders = bySlot.get(slot) ?? []
    const purchase = orders.find(({ confirmedAt }) => confirmedAt !== undefined)
    if (purchase?.orderId !== undefined) {
      const { number, damage } = purchase as Entry & Damage
      confirmed.push({ ...nameOrder(purchase), number, slot, damage })
      continue
    }
    if (delivered.has(slot)) throw createLostOrderFailure(batch, slot)
    const doubtful = wanted.has(slot) && orders.find(({ number }) => unknown.has(number))
    if (doubtful) unproven.set(slot, nameOrder(doubtful))
  }
  return { confirmed, unproven }
}

const nameOrder = ({ orderId = '', reference = '' }: Entry): OrderName => ({ orderId, reference })

const createLostOrderFailure = ({ name }: Batch, slot: number): Failure =>
  new Failure(
    'local-state',
    `the journal no longer has order ${slot} of the batch ${name}, so orderctl cannot find the codes of this order`,
    {
      fix: (suggest) =>
        `Find the order: ${suggest`list ${{ batch: name }}`}. Then show its codes: ${suggest`redeem ORDER`}`,
    },
  )
