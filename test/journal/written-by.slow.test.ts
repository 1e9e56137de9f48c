// On PostgreSQL, the server records which role wrote a row, whatever actor the row refers to.
import { expect, onTestFinished, test } from 'vitest'
import { setLimit } from '../../src/journal/limits.ts'
import { findLast, findOrderById } from '../../src/journal/orders/entries.ts'
import { tables } from '../../src/journal/tables/list.ts'
import { openTeam } from '../support/postgres/team.ts'
import { createBatchDesk, owner } from './batches/batch-desk.ts'
import { createOrderDesk } from './order-desk.ts'

const person = { osUser: 'ana', host: 'desk' }

/** Ana has placed and revealed an order, planned a batch and joined it. Her actor is 1. */
const openAll = async () => {
  const team = await openTeam('bob')
  const [ana, bob] = [await team.openAs('ana', person), await team.openAs('bob', person)]
  const desk = createOrderDesk(ana)
  await desk.placed('o1')
  const reveal = { profile: 'shop', origin: 'https://orders.example', orderId: 'o1', skus: ['A'] }
  await desk.recordReveals([{ ...reveal, at: 1, who: 'ana', how: 'reveal' }])
  const { save, batches } = createBatchDesk(ana)
  await save()
  const readWriters = async (table: string) =>
    (await team.admin(`SELECT actor, written_by FROM ${table} ORDER BY 1`)).map(
      (row) => `${row.actor} ${row.written_by}`,
    )
  return { ...team, ana, bob, batches, readWriters, names: [team.nameOf('ana'), team.nameOf('bob')] as const }
}

const signed = ['orders', 'calls', 'reveals', 'batches'] as const

/** A copy of the only row, also of its actor and of written_by, with a different number. */
const copyRow = (name: (typeof signed)[number]): string => {
  const facts = tables.find((table) => table.name === name)?.columns ?? {}
  const columns = Object.keys(facts).filter((column) => facts[column]?.generatedAs === undefined)
  const others: Readonly<Record<string, string>> = {
    calls: ", id = 'other'",
    batches: ", name = 'other', name_fold = 'other'",
    orders: ", order_id = 'o2', reference = 'r2', reference_fold = 'r2', request = '{}'",
  }
  return `CREATE TEMP TABLE copied AS SELECT ${columns} FROM public.${name};
    UPDATE copied SET number = number + 100${others[name] ?? ''};
    INSERT INTO public.${name} (${columns}) SELECT ${columns} FROM copied`
}

test("a row in a different role's name says who wrote it, and is never @last", async () => {
  const { ana, batches, runAs, readWriters, names } = await openAll()
  for (const name of signed) {
    await runAs('bob', copyRow(name))
    expect(await readWriters(name), name).toEqual(names.map((role) => `1 ${role}`))
  }
  const last = await findLast(ana.read, owner.account, { isAttempt: true })
  expect([last?.orderId, (await batches.findBatches(owner.account, '@last'))[0]?.number]).toEqual(['o1', 1])
})

test('neither another role nor a type or function of its own hides who wrote a row', async () => {
  const { admin, runAs, readWriters, names } = await openAll()
  const [ana, bob] = names
  await admin(`GRANT ${ana} TO ${bob}`)
  onTestFinished(async () => void (await admin(`REVOKE ${ana} FROM ${bob}`)))
  const columns = 'profile, origin, order_id, skus, at, who, how, actor, written_by'
  const insert = `INSERT INTO public.reveals (${columns}) VALUES ('', '', 'o1', '[]', 1, 'ana', 'reveal', 1, '${ana}')`
  const preparations = [
    `SET ROLE ${ana}`,
    `BEGIN; SET LOCAL ROLE ${ana}`,
    `CREATE TYPE pg_temp.text AS ENUM ('${ana}');
     CREATE FUNCTION pg_temp.forge(name) RETURNS pg_temp.text LANGUAGE sql AS $$ SELECT '${ana}'::pg_temp.text $$;
     CREATE CAST (name AS pg_temp.text) WITH FUNCTION pg_temp.forge(name)`,
    `CREATE FUNCTION pg_temp.sign_row() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN NEW.written_by := '${ana}'; RETURN NEW; END $$; SET search_path = pg_temp, public`,
  ]
  for (const preparation of preparations) await runAs('bob', `${preparation}; ${insert}; COMMIT`)
  expect(await readWriters('reveals')).toEqual([`1 ${ana}`, ...preparations.map(() => `1 ${bob}`)])
})

// fixed-plan.test.ts has what no role changes of an order and its calls.
test('how a call was settled is changed only to the opposite, and not in the name of the first person', async () => {
  const { ana, runAs, readWriters, admin, names } = await openAll()
  const { toConfirm, begin, recordDecision } = createOrderDesk(ana)
  await begin({ reference: 'r2' })
  await toConfirm('o1')
  const refuse = (change: string, reason = 'the outcome of a settled call') =>
    expect(runAs('bob', `UPDATE ${change}`), change).rejects.toThrow(`cannot change ${reason}`)
  for (const change of ["'o3'", 'NULL'])
    await refuse(`orders SET order_id = ${change} WHERE number = 1`, 'the id of an order')
  await refuse("calls SET settled_by = 'ana', reason = 'refund'")
  // As the spool and copies do for others.
  await runAs(
    'bob',
    "UPDATE orders SET order_id = 'o2' WHERE number = 2; UPDATE orders SET order_id = order_id",
  )
  const entry = await findOrderById(ana.read, owner, 'o1')
  if (entry === undefined) throw new Error('no order')
  await recordDecision(entry, { isSpent: true, by: 'ana', reason: 'seen', at: 3_000 }, () => 0)
  const settled = 'WHERE settled IS NOT NULL'
  for (const change of ['settled = NULL', "settled_by = 'bob'", 'settled_at = 1'])
    await refuse(`calls SET ${change} ${settled}`)
  // A different person may decide the opposite.
  await runAs('bob', `UPDATE calls SET settled = 'no-effect' ${settled}`)
  const by = `ana (written by ${names[0]})`
  expect(await admin(`SELECT settled_by FROM calls ${settled}`)).toEqual([
    { settled_by: `${by} (written by ${names[1]})` },
  ])
  await refuse(`calls SET settled = 'took-effect' ${settled}`)
  // Even if the name looks genuine.
  await runAs('bob', `UPDATE calls SET settled = 'no-effect', settled_by = '${by}' WHERE settled IS NULL`)
  expect(await admin('SELECT DISTINCT settled_by FROM calls')).toEqual([
    { settled_by: `${by} (written by ${names[1]})` },
  ])
  expect(await readWriters('calls')).toEqual(names.slice(0, 1).flatMap((name) => Array(3).fill(`1 ${name}`)))
})

test('a role that locks a limit did not set it', async () => {
  const { ana, runAs, readWriters, names } = await openAll()
  await setLimit(ana, owner.account, { kind: 'day', currency: 'USD', amount: '5' })
  await runAs('bob', 'SELECT FROM limits FOR UPDATE; UPDATE limits SET set_at = 5')
  await runAs('ana', "UPDATE limits SET written_by = 'bob'")
  expect(await readWriters('limits')).toEqual([`1 ${names[0]}`])
})

test("no role changes who wrote a row, or cancels in a different role's name", async () => {
  const { runAs, batches, names } = await openAll()
  const refused =
    /cannot change|cannot record that a different role cancelled the batch|permission denied|must be owner/
  for (const sql of [
    ...[...signed, 'limits'].map((name) => `UPDATE ${name} SET written_by = 'bob'`),
    ...[...signed, 'limits'].map((name) => `UPDATE ${name} SET actor = NULL`),
    `SET SESSION AUTHORIZATION ${names[0]}`,
    'SET session_replication_role = replica',
    'ALTER TABLE reveals DISABLE TRIGGER reveals_sign',
    'UPDATE actors SET role = session_user',
    ...['cancelled_at = 1, cancelled_by = 1', 'cancelled_at = 1', 'cancelled_by = 1'].map(
      (change) => `UPDATE batches SET ${change}`,
    ),
  ])
    await expect(runAs('bob', sql), sql).rejects.toThrow(refused)
  await batches.recordCancel(1, 5)
  for (const change of ['cancelled_at = NULL', 'cancelled_at = 6', 'cancelled_by = 2'])
    await expect(runAs('bob', `UPDATE batches SET ${change}`)).rejects.toThrow(
      'cannot change a cancelled batch',
    )
  expect((await batches.getBatch(1))?.cancelledBy).toMatchObject({ role: names[0], writtenBy: names[0] })
})
