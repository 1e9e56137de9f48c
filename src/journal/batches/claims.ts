// Which slots of a batch a run may work on. The live order of a slot is the claim, because a unique index admits one:
// the run that inserts it buys the slot. The order belongs to its run until held_until, and then to the run that takes
// it over.
import type { Access, WriteAccess } from '../access.ts'
import { type Actor, readActor } from '../actors.ts'
import type { Dialect } from '../database/database.ts'
import { selectRows } from '../orders/row.ts'
import { count, time } from '../tables/table.ts'

/** An order that is held longer was recorded before the clock was set back. */
const longestHoldMs = 3_600_000

const isHeld = ({ now }: Dialect): string =>
  `(coalesce(held_until, 0) > ${now} AND held_until <= ${now} + ${longestHoldMs})`

/** SQL: when the run that records a call now loses its order, if it is killed. */
export const holdFor = ({ now }: Dialect, ms: number): string => `${now} + ${ms}`

/** SQLite accepts `IN ()`, PostgreSQL does not. No slot has the number 0. */
const isIn = (slots: Iterable<number>): string => `slot IN (${[0, ...slots].map(Number).join(', ')})`

/** A condition on a row of orders. */
const wantsCards = `EXISTS (SELECT 1 FROM batch_cards
  WHERE batch_cards.batch = orders.batch AND batch_cards.slot = orders.slot AND state = 'wanted')`

/** SQL: the slot is left out because its order is confirmed, so that a run probably waits for its cards. */
const busy = {
  all: () => "standing = 'confirmed'",
  held: (dialect: Dialect) => `(standing = 'confirmed' AND ${isHeld(dialect)})`,
  none: () => 'FALSE',
}

export type Wanted = {
  readonly count: number
  /** Leaves out the slots with lower numbers. */
  readonly from?: number
  readonly except?: Iterable<number>
  /** Of the slots whose order is confirmed and waits for its cards, leaves out all, those that a run holds, or none. */
  readonly leaves: keyof typeof busy
}

const hasConfirmed = `(EXISTS (SELECT 1 FROM orders
  WHERE orders.batch = $batch AND orders.slot = wanted.slot AND standing = 'confirmed'))`

/**
 * Slots that want cards and that no other run works on, in the order of their numbers. With 'held', those whose order is
 * confirmed come first.
 */
export const findOpenSlots = async (
  { all, dialect }: Access,
  batch: number,
  { count, from = 0, except = [], leaves }: Wanted,
): Promise<number[]> => {
  const rows = await all(
    `SELECT slot FROM (SELECT DISTINCT slot FROM batch_cards
       WHERE batch = $batch AND state = 'wanted' AND slot >= $from AND NOT ${isIn(except)}) AS wanted
     WHERE NOT EXISTS (SELECT 1 FROM orders WHERE orders.batch = $batch AND orders.slot = wanted.slot
       AND ((live AND ${isHeld(dialect)}) OR ${busy[leaves](dialect)}))
     ORDER BY ${leaves === 'held' ? `${hasConfirmed} DESC, slot` : 'slot'} LIMIT $count`,
    { batch, from, count },
  )
  return rows.map(({ slot }) => Number(slot))
}

/** Whether other slots want cards, which other runs may be buying. */
export const hasSlotsLeft = async ({ all }: Access, batch: number, except: Iterable<number>) => {
  const found = await all(
    `SELECT 1 FROM batch_cards WHERE batch = $batch AND state = 'wanted' AND NOT ${isIn(except)} LIMIT 1`,
    { batch },
  )
  return found.length > 0
}

/** Takes over an order. Returns false if a different run holds it. */
export const holdOrder = async ({ run, dialect }: WriteAccess, number: number, ms: number) => {
  const changed = await run(
    `UPDATE orders SET held_until = ${holdFor(dialect, ms)} WHERE number = $number AND NOT ${isHeld(dialect)}`,
    { number },
  )
  return changed > 0
}

/** When a run ends, others need not wait for its orders. */
export const releaseOrders = async ({ run }: WriteAccess, numbers: readonly number[]): Promise<void> => {
  await run(`UPDATE orders SET held_until = NULL WHERE number IN (${[0, ...numbers].join(', ')})`)
}

/** An actor whose orders of the batch are not finished. */
export type Buyer = {
  readonly by?: Actor | undefined
  /** The number of their orders that are being created or confirmed, and of those that wait for their cards. */
  readonly buying: number
  readonly waiting: number
  /** When they last placed or confirmed one. */
  readonly seenAt: number
  /** When others may take over the last one, by the database's clock. Undefined if they already may. */
  readonly until?: number | undefined
}

/** The busiest first. */
export const listBuyers = (access: Access, batch: number): Promise<Buyer[]> => {
  const { writtenBy } = access.dialect
  const sql = `SELECT role, os_user, host, ${writtenBy} AS written_by,
      sum(CASE WHEN live THEN 1 ELSE 0 END) AS buying, sum(CASE WHEN live THEN 0 ELSE 1 END) AS waiting,
      max(changed_at) AS seen_at, max(CASE WHEN ${isHeld(access.dialect)} THEN held_until END) AS until
    FROM orders LEFT JOIN actors ON actors.number = actor
    WHERE batch = $batch AND (holds OR live) AND ${wantsCards}
    GROUP BY 1, 2, 3, 4 ORDER BY count(*) DESC, 3, 2`
  return selectRows<Buyer>(access, buyers, sql, { batch }, (row) => ({ by: readActor(row) }))
}

const buyers = { columns: { buying: count, waiting: count, seen_at: time, until: time } }
