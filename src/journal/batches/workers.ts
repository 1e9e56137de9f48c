// The table of workers: the processes that buy a batch, on one or several machines.
import type { Journal } from '../journal.ts'
import { readActor } from '../row.ts'
import type { StoredWorker, Workers } from './batches.ts'
import { wantsCards } from './leases.ts'

export const createWorkerTable = ({ read, write }: Journal): Workers => ({
  registerWorker: (batch, processId) =>
    write(async ({ statements: { all, dialect }, actor }) => {
      const [added] = await all(
        `INSERT INTO batch_workers (batch, actor, process, started_at, seen_at)
         VALUES ($batch, $actor, $processId, ${dialect.now}, ${dialect.now}) RETURNING number`,
        { batch, actor: actor ?? null, processId },
      )
      return Number(added?.number)
    }),

  endWorker: (worker) =>
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

  releaseDeadWorkers: (worker, isRunning) =>
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

  listWorkers: (batch, lostAfterMs) =>
    read(async ({ statements: { all, dialect } }) => {
      const rows = await all(
        `SELECT batch_workers.number, process, started_at, seen_at, role, os_user, host,
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

const readWorker = (row: Readonly<Record<string, unknown>>): StoredWorker => ({
  number: Number(row.number),
  processId: Number(row.process),
  ...(row.host === null ? {} : { by: readActor(row) }),
  startedAt: Number(row.started_at),
  seenAt: Number(row.seen_at),
  isLost: Number(row.is_lost) === 1,
  slots: Number(row.slots),
  ...(row.until === null ? {} : { until: Number(row.until) }),
})
