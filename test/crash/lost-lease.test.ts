// A worker loses its slot before it sends, as a process that was stopped for longer than its lease.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findLost, findOverspending } from './team/checks.ts'
import { openTeam } from './team/world.ts'

const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

test('a worker whose slot was claimed by another one sends nothing', async () => {
  await using team = await openTeam()
  const { ana, database, service } = team
  writeFileSync(
    path.join(ana.folder, 'gifts.json'),
    JSON.stringify([{ sku: 'GAME-US', quote: 25, quantity: 1 }]),
  )
  await team.mustRun(ana, 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
  // The other worker claims the slot directly after the first claim, which it outlasts.
  await database.admin(`
    INSERT INTO batch_workers (batch, process, started_at, seen_at) SELECT number, 1, ${now}, ${now} FROM batches;
    CREATE FUNCTION claim_again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      UPDATE slot_leases SET fence = 2, until = ${now} + 60000, worker = (SELECT min(number) FROM batch_workers)
        WHERE slot = NEW.slot;
      RETURN NULL;
    END $$;
    CREATE TRIGGER claim_again AFTER UPDATE ON slot_leases FOR EACH ROW WHEN (NEW.fence = 1)
      EXECUTE FUNCTION claim_again()`)
  const readFence = async (): Promise<unknown> => {
    const [row] = await database.admin('SELECT max(fence)::int AS fence FROM slot_leases')
    return row?.fence
  }
  const running = team.run(ana, ['batch', 'run', 'gifts', '--max-total', '25', '--json'])
  while ((await readFence()) !== 2) await service.wait(() => false, 20)
  await service.wait(() => service.countSent() > 0, 3_000)
  expect(service.countSent()).toBe(0)
  await database.admin('UPDATE slot_leases SET until = 0')
  const { end, stderr } = await running
  expect(end, stderr).toBe(0)
  expect(service.countSent()).toBe(2)
  expect(await findOverspending(team, { cap: 2_500, budget: 2_500 })).toEqual([])
  expect(await findLost(team, { isSettled: true })).toEqual([])
})
