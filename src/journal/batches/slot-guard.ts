// Ensures that a slot of a batch is bought at most once, and that a batch does not exceed its cap. Each check runs in
// the transaction that records the intent to send.
import type { DatabaseSync } from 'node:sqlite'
import { type Call, type Entry, isPendingCreate, isUnproven, isVoid } from '../entry.ts'
import type { SelectEntries } from '../select-entries.ts'
import { type Claim, formatLines, type SlotLine } from './batch.ts'
import { readOrderLines } from './order-lines.ts'

/** Why an order of a batch must not be created or confirmed. */
export type SlotRefusal =
  | { readonly kind: 'taken'; readonly by: Entry }
  | { readonly kind: 'cancelled' }
  /** The slot now wants other products. */
  | { readonly kind: 'changed' }

/** Orders of a batch with the same total that are, or may be, confirmed. */
export type Committed = { readonly total: string; readonly count: number }

export type SlotGuard = ReturnType<typeof createSlotGuard>

export const createSlotGuard = (
  database: DatabaseSync,
  selectEntries: SelectEntries,
  listCalls: (order: number) => Call[],
) => {
  /** Newest first. */
  const listSlotOrders = (batch: number, slot: number): Entry[] =>
    selectEntries({ where: 'batch = $batch AND slot = $slot', values: { batch, slot } })

  // A failed order also counts as the purchase of its slot. The cards that it did not deliver get another slot.
  const mayHaveSpent = ({ number, confirmedAt }: Entry): boolean =>
    confirmedAt !== undefined || listCalls(number).some(isUnproven)

  /** Whether the order is, or may become, the purchase of its slot. */
  const isLive = (entry: Entry, at: number): boolean =>
    !isVoid(entry.state) ||
    mayHaveSpent(entry) ||
    listCalls(entry.number).some((call) => isPendingCreate(call, at))

  const findLive = (batch: number, slot: number, at: number): Entry | undefined =>
    listSlotOrders(batch, slot).find((entry) => isLive(entry, at))

  const isCancelled = (batch: number): boolean =>
    database.prepare('SELECT 1 FROM batches WHERE number = ? AND cancelled_at IS NOT NULL').get(batch) !==
    undefined

  const readLines = (batch: number, slot: number): SlotLine[] =>
    database
      .prepare(
        `SELECT sku, product_type, quote, count(*) AS quantity
         FROM batch_cards INDEXED BY batch_cards_by_slot CROSS JOIN batch_rows USING (batch, row)
         WHERE batch = ? AND slot = ? AND state = 'wanted' GROUP BY sku, product_type, quote ORDER BY sku`,
      )
      .all(batch, slot)
      .map(({ sku, product_type, quote, quantity }) => ({
        sku: String(sku),
        productType: String(product_type),
        quote: String(quote),
        quantity: Number(quantity),
      }))

  const isUnchanged = ({ batch, slot, lines }: Claim): boolean =>
    formatLines(readLines(batch, slot)) === lines

  /** The totals of confirmed orders, and of orders with an unsettled confirm of one of these outcomes. */
  const listTotals = (batch: number, outcomes: string, except: number | undefined): Committed[] =>
    database
      .prepare(
        `SELECT total, count(*) AS count FROM orders
         WHERE batch = $batch AND confirmed_at IS NOT NULL GROUP BY total
         UNION ALL
         SELECT total, 1 FROM orders
         WHERE batch = $batch AND confirmed_at IS NULL AND number IS NOT $except AND number IN (
           SELECT order_number FROM calls
           WHERE operation = 'confirm' AND settled IS NULL AND outcome IN (${outcomes}))`,
      )
      .all({ batch, except: except ?? null })
      .map(({ total, count }) => ({ total: String(total ?? ''), count: Number(count) }))

  return {
    listSlotOrders,
    findLive,
    isCancelled,
    readLines,

    hasSpending: (batch: number, slot: number): boolean => listSlotOrders(batch, slot).some(mayHaveSpent),

    /** For the cap: also confirms that the service refused, because a refusal is no proof. */
    listCommitted: (batch: number, except?: number): Committed[] =>
      listTotals(batch, "'sending', 'unknown', 'refused'", except),

    /** For people: a refused confirm spent nothing so far. */
    listSpent: (batch: number): Committed[] => listTotals(batch, "'sending', 'unknown'", undefined),

    /** Undefined if an order of the slot may be created. */
    refuseCreate: (claim: Claim, at: number): SlotRefusal | undefined => {
      if (isCancelled(claim.batch)) return { kind: 'cancelled' }
      const by = findLive(claim.batch, claim.slot, at)
      if (by !== undefined) return { kind: 'taken', by }
      return isUnchanged(claim) ? undefined : { kind: 'changed' }
    },

    /** Undefined if the order may be confirmed. A confirm by hand has no claim. */
    refuseConfirm: (known: Entry, claim: Claim | undefined, at: number): SlotRefusal | undefined => {
      const { batch, slot, number } = known
      if (batch === undefined || slot === undefined) return undefined
      if (isCancelled(batch)) return { kind: 'cancelled' }
      const isOfClaim = claim === undefined || (claim.batch === batch && claim.slot === slot)
      if (!isOfClaim) return { kind: 'taken', by: known }
      const by = listSlotOrders(batch, slot).find(
        (other) =>
          other.number !== number && (mayHaveSpent(other) || (other.number > number && isLive(other, at))),
      )
      if (by !== undefined) return { kind: 'taken', by }
      // A late answer to create may add an order whose products the slot does not want any more.
      const lines = formatLines(readLines(batch, slot))
      const isWanted = lines === readOrderLines(known) && lines === (claim?.lines ?? lines)
      return isWanted ? undefined : { kind: 'changed' }
    },
  }
}
