// Ensures that a slot of a batch is bought at most once, and that a batch does not exceed its cap. Each check runs in
// the transaction that records the intent to send.
import type { Statements } from '../database/database.ts'
import { type Entry, isPendingCreate, isUnproven, isVoid } from '../entry.ts'
import type { OrderWithCalls, SelectWithCalls } from '../orders-with-calls.ts'
import type { SelectEntries } from '../select-entries.ts'
import { type Claim, formatLines, type SlotLine } from './batch.ts'
import { holdLease } from './hold-lease.ts'
import { readOrderLines } from './order-lines.ts'

/** Why an order of a batch must not be created or confirmed. */
export type SlotRefusal =
  /** Another order of the slot is confirmed, or may still be confirmed. */
  | { readonly kind: 'slot-taken'; readonly by: Entry }
  | { readonly kind: 'cancelled' }
  /** The slot now wants other products. */
  | { readonly kind: 'changed' }
  /** The lease of the slot has expired, or another worker has it. */
  | { readonly kind: 'lost' }

/** Orders of a batch with the same total that are, or may be, confirmed. */
export type Committed = { readonly total: string; readonly count: number }

/** `maxTotal` is the cap. Undefined if nobody has consented to one. */
type LockedBatch = { readonly name: string; readonly maxTotal: string | undefined }

export const createSlotGuard = (
  statements: Statements,
  selectEntries: SelectEntries,
  selectWithCalls: SelectWithCalls,
) => {
  const { all, dialect } = statements

  /** Newest first. */
  const listSlotOrders = (batch: number, slot: number): Promise<Entry[]> =>
    selectEntries({ where: 'batch = $batch AND slot = $slot', values: { batch, slot } })

  /** Newest first. */
  const listWithCalls = (batch: number, slot: number): Promise<OrderWithCalls[]> =>
    selectWithCalls('batch = $batch AND slot = $slot', { batch, slot })

  const findLive = async (batch: number, slot: number, at: number): Promise<Entry | undefined> =>
    (await listWithCalls(batch, slot)).find((each) => isLive(each, at))?.entry

  /** Another order that is the purchase of the slot, or that was created later and may become it. */
  const findRival = async ({ batch, slot, number }: SlotOrder, at: number): Promise<Entry | undefined> =>
    (await listWithCalls(batch, slot)).find(
      (other) =>
        other.entry.number !== number &&
        (mayHaveSpent(other) || (other.entry.number > number && isLive(other, at))),
    )?.entry

  const isCancelled = async (batch: number): Promise<boolean> => {
    const found = await all('SELECT 1 FROM batches WHERE number = $batch AND cancelled_at IS NOT NULL', {
      batch,
    })
    return found.length > 0
  }

  /** Locks the batch: no other process begins a call for it or changes its cards until the end of the transaction. */
  const lockBatch = async (batch: number): Promise<LockedBatch> => {
    const [found] = await all(
      `SELECT name, max_total FROM batches WHERE number = $batch ${dialect.forUpdate}`,
      { batch },
    )
    return {
      name: String(found?.name ?? ''),
      maxTotal: (found?.max_total ?? undefined) as string | undefined,
    }
  }

  const readLines = async (batch: number, slot: number): Promise<SlotLine[]> => {
    const rows = await all(
      `SELECT sku, product_type, quote, count(*) AS quantity
       FROM batch_cards ${dialect.indexedBy('batch_cards_by_slot')} ${dialect.orderedJoin} batch_rows USING (batch, row)
       WHERE batch = $batch AND slot = $slot AND state = 'wanted'
       GROUP BY sku, product_type, quote ORDER BY sku`,
      { batch, slot },
    )
    return rows.map(({ sku, product_type, quote, quantity }) => ({
      sku: String(sku),
      productType: String(product_type),
      quote: String(quote),
      quantity: Number(quantity),
    }))
  }

  /** The totals of confirmed orders, and of orders with an unsettled confirm of one of these outcomes. */
  const listTotals = async (
    batch: number,
    outcomes: string,
    except: number | undefined,
  ): Promise<Committed[]> => {
    const rows = await all(
      `SELECT total, count(*) AS count FROM orders
       WHERE batch = $batch AND confirmed_at IS NOT NULL GROUP BY total
       UNION ALL
       SELECT total, 1 FROM orders
       WHERE batch = $batch AND confirmed_at IS NULL AND number IS DISTINCT FROM $except AND number IN (
         SELECT order_number FROM calls
         WHERE operation = 'confirm' AND settled IS NULL AND outcome IN (${outcomes}))`,
      { batch, except: except ?? null },
    )
    return rows.map(({ total, count }) => ({ total: String(total ?? ''), count: Number(count) }))
  }

  return {
    listSlotOrders,
    findLive,
    isCancelled,
    lockBatch,
    readLines,

    hasSpending: async (batch: number, slot: number): Promise<boolean> =>
      (await listWithCalls(batch, slot)).some(mayHaveSpent),

    /** For the cap: also confirms that the service refused, because a refusal is no proof. */
    listCommitted: (batch: number, except?: number): Promise<Committed[]> =>
      listTotals(batch, "'sending', 'unknown', 'refused'", except),

    /** For people: a refused confirm spent nothing so far. */
    listSpent: (batch: number): Promise<Committed[]> => listTotals(batch, "'sending', 'unknown'", undefined),

    /** Undefined if an order of the slot may be created. */
    refuseCreate: async (claim: Claim, at: number): Promise<SlotRefusal | undefined> => {
      const { batch, slot, lines, lease } = claim
      const [, isHeld, isOver, by, wanted] = await Promise.all([
        // With its lease, nobody else creates an order of the slot. Workers that create do not wait for each other.
        lease === undefined && lockBatch(batch),
        holdLease(statements, claim),
        isCancelled(batch),
        findLive(batch, slot, at),
        readLines(batch, slot),
      ])
      if (!isHeld) return { kind: 'lost' }
      if (isOver) return { kind: 'cancelled' }
      if (by !== undefined) return { kind: 'slot-taken', by }
      return formatLines(wanted) === lines ? undefined : { kind: 'changed' }
    },

    /** Undefined if the order may be confirmed. A confirm by hand has no claim. The caller has locked the batch. */
    refuseConfirm: async (
      known: Entry,
      claim: Claim | undefined,
      at: number,
    ): Promise<SlotRefusal | undefined> => {
      const { batch, slot, number } = known
      if (batch === undefined || slot === undefined) return undefined
      const [isOver, by, wanted] = await Promise.all([
        isCancelled(batch),
        findRival({ batch, slot, number }, at),
        readLines(batch, slot),
      ])
      if (isOver) return { kind: 'cancelled' }
      const isOfClaim = claim === undefined || (claim.batch === batch && claim.slot === slot)
      if (!isOfClaim) return { kind: 'slot-taken', by: known }
      if (by !== undefined) return { kind: 'slot-taken', by }
      // A late answer to create may add an order whose products the slot does not want any more.
      const lines = formatLines(wanted)
      const isWanted = lines === readOrderLines(known) && lines === (claim?.lines ?? lines)
      return isWanted ? undefined : { kind: 'changed' }
    },
  }
}

// A failed order also counts as the purchase of its slot. The cards that it did not deliver get another slot.
const mayHaveSpent = ({ entry, calls }: OrderWithCalls): boolean =>
  entry.confirmedAt !== undefined || calls.some(isUnproven)

/** Whether the order is, or may become, the purchase of its slot. */
const isLive = (order: OrderWithCalls, at: number): boolean =>
  !isVoid(order.entry.state) || mayHaveSpent(order) || order.calls.some((call) => isPendingCreate(call, at))

type SlotOrder = Required<Pick<Entry, 'batch' | 'slot' | 'number'>>
