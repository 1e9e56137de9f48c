// The workers that buy a batch, and the leases of slots: while a worker holds the lease of a slot, no other worker creates
// or confirms its orders.
import { type Actor, readActor } from '../actors.ts'
import { type Dialect, inOrder, type Row, type Statements } from '../database/database.ts'
import type { Journal } from '../journal.ts'

type Holder = { readonly batch: number; readonly worker: number }

type Wanted = {
  readonly count: number
  readonly leaseMs: number
  readonly release?: readonly number[]
  readonly except?: Iterable<number>
}

/** A slot that a worker holds. The number is higher with each claim of the slot. */
type HeldSlot = { readonly slot: number; readonly fence: number }

/** Why a worker waits, for example because the service is down. `since` is in milliseconds since the UNIX epoch. */
export type Trouble = { readonly reason: string; readonly since: number }

export type StoredWorker = {
  readonly number: number
  readonly processId: number
  /** Who started it. */
  readonly by?: Actor
  /** All times are those of the database. */
  readonly startedAt: number
  readonly seenAt: number
  readonly isLost: boolean
  /** Undefined if the worker does not wait. */
  readonly trouble?: Trouble | undefined
  /** The slots that it holds and that want cards. */
  readonly slots: number
  /** When its last lease ends. Undefined if it holds none. */
  readonly until?: number
}

/** A lease that ends later was recorded before the clock was set back. */
const longestLeaseMs = 3_600_000

const isFree = ({ now }: Dialect): string => `(until <= ${now} OR until > ${now} + ${longestLeaseMs})`

/** A condition on a row of slot_leases. */
const wantsCards = `EXISTS (SELECT 1 FROM batch_cards
  WHERE batch_cards.batch = slot_leases.batch AND batch_cards.slot = slot_leases.slot AND state = 'wanted')`

/** SQLite accepts `IN ()`, PostgreSQL does not. No slot has the number 0. */
const isIn = (slots: Iterable<number>): string => `slot IN (${[0, ...slots].map(Number).join(', ')})`

const toHeld = ({ slot, fence }: Row): HeldSlot => ({ slot: Number(slot), fence: Number(fence) })

/** Slots are claimed in the order of their numbers. */
export const createLeaseTable = ({ read, write }: Journal) => ({
  /** Makes the leases of slots that want cards and have none yet. */
  addOpenSlots: (batch: number) =>
    write(async ({ statements: { run } }) => {
      await run(
        `INSERT INTO slot_leases (batch, slot, fence, until)
         SELECT DISTINCT batch, slot, 0, 0 FROM batch_cards
         WHERE batch = $batch AND state = 'wanted' AND NOT EXISTS (SELECT 1 FROM slot_leases
           WHERE slot_leases.batch = batch_cards.batch AND slot_leases.slot = batch_cards.slot)
         ORDER BY slot
         ON CONFLICT DO NOTHING`,
        { batch },
      )
    }),

  /** Claims slots that no worker holds, except some, after it has released others. */
  claimSlots: ({ batch, worker }: Holder, { count, leaseMs, release = [], except = [] }: Wanted) =>
    write(async ({ statements }) => {
      const { all, dialect } = statements
      const { claimed } = await inOrder({
        released: releaseSlots(statements, { batch, worker }, release),
        claimed: all(
          `WITH free AS MATERIALIZED (
             SELECT slot AS free_slot FROM slot_leases
             WHERE batch = $batch AND ${isFree(dialect)} AND NOT ${isIn(except)}
             ORDER BY slot LIMIT $count ${dialect.forUpdateSkipLocked})
           UPDATE slot_leases SET worker = $worker, fence = fence + 1, until = ${dialect.now} + $leaseMs
           FROM free WHERE batch = $batch AND slot = free_slot RETURNING slot, fence`,
          { batch, worker, count, leaseMs },
        ),
      })
      return claimed.map(toHeld).sort((one, other) => one.slot - other.slot)
    }),

  /** Records the trouble. Returns the slots that the worker still holds. A lease that has expired stays lost. */
  renewLeases: (
    { worker }: Pick<Holder, 'worker'>,
    leaseMs: number,
    trouble?: { readonly reason: string; readonly forMs: number },
  ) =>
    write(async ({ statements: { all, run, dialect } }) => {
      const { held } = await inOrder({
        held: all(
          `UPDATE slot_leases SET until = ${dialect.now} + $leaseMs
           WHERE worker = $worker AND until > ${dialect.now} RETURNING slot, fence`,
          { worker, leaseMs },
        ),
        seen: run(
          `UPDATE batch_workers SET seen_at = ${dialect.now}, trouble = $reason,
             trouble_since = ${dialect.now} - CAST($forMs AS BIGINT) WHERE number = $worker`,
          { worker, reason: trouble?.reason ?? null, forMs: trouble?.forMs ?? null },
        ),
      })
      return held.map(toHeld)
    }),

  releaseSlots: (holder: Holder, slots: readonly number[]) =>
    write(({ statements }) => releaseSlots(statements, holder, slots)),

  /** Whether another worker is buying slots, or slots are free that this worker has not given up. */
  hasSlotsLeft: ({ batch, worker }: Holder, givenUp: Iterable<number>) =>
    write(async ({ statements: { all, dialect } }) => {
      const found = await all(
        `SELECT 1 FROM slot_leases WHERE batch = $batch AND ${wantsCards}
           AND (NOT ${isIn(givenUp)} OR (worker <> $worker AND NOT ${isFree(dialect)})) LIMIT 1`,
        { batch, worker },
      )
      return found.length > 0
    }),

  /** Registers a process that buys the batch. Returns the number of the worker. */
  registerWorker: (batch: number, processId: number) =>
    write(async ({ statements: { all, dialect }, actor }) => {
      const [added] = await all(
        `INSERT INTO batch_workers (batch, actor, process, started_at, seen_at)
         VALUES ($batch, $actor, $processId, ${dialect.now}, ${dialect.now}) RETURNING number`,
        { batch, actor: actor ?? null, processId },
      )
      return Number(added?.number)
    }),

  /** Releases its slots. */
  endWorker: (worker: number) =>
    write(async ({ statements: { run, dialect } }) => {
      await Promise.all([
        run(`DELETE FROM slot_leases WHERE worker = $worker AND NOT ${wantsCards}`, { worker }),
        run('UPDATE slot_leases SET worker = NULL, until = 0 WHERE worker = $worker', { worker }),
        run(
          `UPDATE batch_workers SET seen_at = ${dialect.now}, ended_at = ${dialect.now} WHERE number = $worker`,
          { worker },
        ),
      ])
    }),

  /**
   * Releases the slots of workers on this machine whose process does not run any more. The others wait until their
   * leases expire. A wrong result does no harm: a worker that lost a slot finds out before it sends.
   */
  releaseDeadWorkers: (worker: number, isRunning: (processId: number) => boolean) =>
    write(async ({ statements: { all, run, dialect } }) => {
      // Without an actor, the machine of a worker is known only if the journal is a file on this machine.
      const isSameMachine =
        dialect.name === 'sqlite' ? 'other.actor IS NOT DISTINCT FROM me.actor' : 'other.actor = me.actor'
      const others = await all(
        `SELECT other.number, other.process FROM batch_workers AS me
         JOIN batch_workers AS other ON other.batch = me.batch AND other.number <> me.number AND ${isSameMachine}
         WHERE me.number = $worker AND other.ended_at IS NULL
           AND EXISTS (SELECT 1 FROM slot_leases WHERE worker = other.number)`,
        { worker },
      )
      for (const { number, process: processId } of others) {
        if (isRunning(Number(processId))) continue
        await run('UPDATE slot_leases SET worker = NULL, until = 0 WHERE worker = $dead', {
          dead: Number(number),
        })
      }
    }),

  /** Those that have not ended, the oldest first. A worker that was not seen for `lostAfterMs` is lost. */
  listWorkers: (batch: number, lostAfterMs: number) =>
    read(async ({ statements: { all, dialect } }) => {
      const rows = await all(
        `SELECT batch_workers.number, process, started_at, seen_at, trouble, trouble_since, role, os_user, host,
         ${dialect.writtenBy} AS written_by,
         CASE WHEN seen_at + $lostAfterMs <= ${dialect.now} THEN 1 ELSE 0 END AS is_lost,
         (SELECT count(DISTINCT slot) FROM slot_leases JOIN batch_cards USING (batch, slot)
          WHERE slot_leases.worker = batch_workers.number AND until > ${dialect.now} AND state = 'wanted') AS slots,
         (SELECT max(until) FROM slot_leases WHERE worker = batch_workers.number) AS until
       FROM batch_workers LEFT JOIN actors ON actors.number = actor
       WHERE batch = $batch AND ended_at IS NULL ORDER BY batch_workers.number`,
        { batch, lostAfterMs },
      )
      return rows.map(readWorker)
    }),
})

/** A slot that wants no more cards needs no row. */
const releaseSlots = async (
  { run }: Statements,
  { batch, worker }: Holder,
  slots: readonly number[],
): Promise<void> => {
  if (slots.length === 0) return
  const mine = `batch = $batch AND worker = $worker AND ${isIn(slots)}`
  await Promise.all([
    run(`DELETE FROM slot_leases WHERE ${mine} AND NOT ${wantsCards}`, { batch, worker }),
    run(`UPDATE slot_leases SET worker = NULL, until = 0 WHERE ${mine}`, { batch, worker }),
  ])
}

const readWorker = (row: Row): StoredWorker => ({
  number: Number(row.number),
  processId: Number(row.process),
  by: readActor(row),
  startedAt: Number(row.started_at),
  seenAt: Number(row.seen_at),
  trouble:
    row.trouble === null ? undefined : { reason: String(row.trouble), since: Number(row.trouble_since) },
  isLost: Number(row.is_lost) === 1,
  slots: Number(row.slots),
  until: row.until === null ? undefined : Number(row.until),
})
