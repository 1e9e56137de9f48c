// Limits of one role of a team: what the guard of a confirm refuses, and what the database refuses even with psql.
import { expect, onTestFinished, test } from 'vitest'
import { requestApproval } from '../../../src/journal/batches/approvals.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { listLimits, type NewLimit, readBudgets, setLimit } from '../../../src/journal/limits.ts'
import type { ConfirmIntent } from '../../../src/journal/orders/calls.ts'
import { openTeam } from '../../support/postgres/team.ts'
import { createBatchDesk } from '../batches/batch-desk.ts'
import { findJournalKind } from '../journals.ts'
import { callsOf, confirmIntent, createOrderDesk, owner } from '../order-desk.ts'
import { testTeam } from '../team-script.ts'

const { account } = owner
const planId = 'bat_0123456789abcdef'
const perDay = (amount: string): NewLimit => ({ kind: 'day', currency: 'USD', amount })
const above = (amount: string): NewLimit => ({ kind: 'approval', currency: 'USD', amount })
const prepareOnly: NewLimit = { kind: 'prepare-only', currency: '', amount: '0' }

/** Ana owns the tables. Mia has the limits, Ben has none. */
const openAll = async (...limits: NewLimit[]) => {
  const team = await openTeam('mia', 'ben')
  const [ana, mia, ben] = await Promise.all(['ana', 'mia', 'ben'].map((role) => team.openAs(role)))
  if (ana === undefined || mia === undefined || ben === undefined) throw new Error('three roles')
  const forRole = team.nameOf('mia')
  for (const limit of limits) await setLimit(ana, account, { ...limit, forRole })
  const readSpent = async () =>
    (await readBudgets(ana.read, account, await listLimits(ana.read, account))).map(
      ({ forRole, spent }) => `${forRole ?? 'all'} ${spent.millionths / 1_000_000n}`,
    )
  return { ...team, ana, mia, ben, forRole, readSpent }
}

const place = (journal: Journal, orderId: string) =>
  createOrderDesk(journal).placed(orderId, { reference: orderId })

/** Each order costs 25 USD. */
const begin = (journal: Journal, orderId: string, fields: Partial<ConfirmIntent> = {}) =>
  callsOf(journal).beginConfirm(confirmIntent(orderId, { reference: orderId, ...fields }))

const confirm = async (journal: Journal, orderId: string) => (await begin(journal, orderId)).kind

testTeam(
  ['mia', 'ben'],
  `

  == a role that may only prepare creates orders, which others confirm, and records what responses show
  ana limit prepare-only for=mia; mia place o1; mia confirm o1 → prepare-only mia
  mia confirm elsewhere e wallet=EUR → prepare-only mia; ben confirm o1; mia get o1 successful

  == only a limited role needs the approval, and it cannot give one
  ana limit approval 30 for=mia; ben save; mia place one slot=1 total=50; mia place two slot=2 total=20
  ben start cap=80; mia confirm one total=50 → not-approved above 30 for one
  mia approval → limit 30, planned by ben, cannot approve; ben approval → planned by ben
  mia approve 80 → fails: the limit approval of the role mia forbids this; mia ask 80
  ana approval → limit 30, planned by ben, asked 80 by mia; ana approve 80
  mia confirm one total=50; ben confirm two total=20
  mia confirm small s; mia confirm large l total=31 → not-approved above 30

  == an order is refused by the cap of its batch first, then without an approval, then by a budget
  ben save; ben place one slot=1 total=50; ben start cap=40; ana limit approval 30; ana limit day 20
  ben confirm one total=50 → over-cap 40 with 0 by 0; ana approve 60; ben start cap=60; approvals expire
  ben confirm one total=50 → not-approved above 30 for one; ana approve 60
  ben confirm one total=50 → over-budget 20 per day with 0 by 0
  `,
)

test('at the edges of a role budget and the account budget, confirms at once stay within both', async () => {
  const { ana, mia, ben, openAs, forRole, readSpent } = await openAll(perDay('50'))
  await setLimit(ana, account, perDay('125'))
  const again = await openAs('mia')
  const kinds = await Promise.all(
    [mia, ben, again, mia, ben, again, ben, ben, mia, ben].map((journal, index) =>
      confirm(journal, `o${index}`),
    ),
  )
  expect(kinds.filter((kind) => kind === 'started')).toHaveLength(5)
  const [all, ofMia] = await readSpent()
  expect(all).toBe('all 125')
  expect([`${forRole} 0`, `${forRole} 25`, `${forRole} 50`]).toContain(ofMia)
})

/** The statements that record an intent to confirm the order with the number 1. */
const intents = [
  `INSERT INTO public.calls (id, order_number, operation, outcome, started_at, until)
   VALUES ('x', 1, 'confirm', 'sending', 1, 2)`,
  "UPDATE public.orders SET standing = 'confirming' WHERE number = 1",
  `INSERT INTO public.orders (account, profile, origin, order_id, standing, wallet, counts, placed_at, changed_at)
   SELECT account, 'x', 'x', 'x', 'confirming', 'USD', 25000000, 1, 1 FROM public.orders WHERE number = 1`,
]

test.each([
  ['prepare-only', prepareOnly],
  ['approval', above('24.999999')],
] as const)('with a limit of the kind %s, the database refuses a confirm with psql', async (kind, limit) => {
  const { mia, ana, runAs, admin, nameOf } = await openAll(limit)
  await place(mia, 'o1')
  const [mias, bens] = [nameOf('mia'), nameOf('ben')]
  await admin(`GRANT ${bens} TO ${mias}`)
  onTestFinished(async () => void (await admin(`REVOKE ${bens} FROM ${mias}`)))
  const disguises = [
    '',
    `SET ROLE ${bens};`,
    `BEGIN; SET LOCAL ROLE ${bens};`,
    'CREATE TEMP TABLE limits AS SELECT * FROM public.limits WHERE false; SET search_path = pg_temp, public;',
    `CREATE TYPE pg_temp.text AS ENUM ('x'); CREATE FUNCTION pg_temp.forge(name) RETURNS pg_temp.text
     LANGUAGE sql AS $$ SELECT 'x'::pg_temp.text $$; CREATE CAST (name AS pg_temp.text) WITH FUNCTION pg_temp.forge(name);`,
  ]
  for (const disguise of disguises)
    for (const intent of intents)
      await expect(runAs('mia', disguise + intent), disguise + intent).rejects.toThrow(
        `the limit ${kind} of the role ${mias} forbids this`,
      )
  for (const [sql, reason] of [
    ['DELETE FROM limits', 'permission denied'],
    ["UPDATE limits SET for_role = 'x'", 'permission denied'],
    ["UPDATE limits SET amount = '9'", 'permission denied'],
    [`INSERT INTO limits SELECT * FROM limits`, 'permission denied'],
    ['ALTER TABLE calls DISABLE TRIGGER calls_within_limits', 'must be owner'],
    ['SET session_replication_role = replica', 'permission denied'],
    [`SET SESSION AUTHORIZATION ${bens}`, 'permission denied'],
    ['UPDATE orders SET account = 2 WHERE number = 1', 'cannot change a placed order'],
  ] as const)
    await expect(runAs('mia', sql), sql).rejects.toThrow(reason)
  expect(await createOrderDesk(ana).getState('o1')).toBe('created')
  expect(await admin('SELECT operation FROM calls')).toEqual([{ operation: 'create' }])
  for (const intent of intents.slice(0, 2)) await runAs('ben', intent)
})

test('the limit of a batch is refused with psql unless the plan is approved', async () => {
  const { mia, ben, runAs } = await openAll(above('30'))
  const desk = createBatchDesk(ben)
  await desk.save()
  await desk.allow('80')
  await desk.place(1, 'one')
  // The order is below the limit, but the cap of the batch is not.
  for (const intent of intents.slice(0, 2)) await expect(runAs('mia', intent)).rejects.toThrow('forbids this')
  const approve = (role: string) =>
    runAs(
      role,
      `INSERT INTO approvals (batch, plan_id, cap, until) VALUES (1, '${planId}', '80', 9999999999999)`,
    )
  await expect(approve('mia')).rejects.toThrow('the limit approval')
  await requestApproval(mia, 1, { planId, cap: '80' })
  await approve('ana')
  for (const intent of intents.slice(0, 2)) await runAs('mia', intent)
})

test('with psql, too, the confirmed orders of a batch count', async () => {
  const { mia, ben, runAs } = await openAll(above('30'))
  const desk = createBatchDesk(ben)
  await desk.save()
  await desk.allow('30')
  await desk.place(1, 'one')
  await desk.place(2, 'two')
  for (const intent of intents.slice(0, 2)) await runAs('mia', `BEGIN; ${intent}; ROLLBACK`)
  await desk.allow('60')
  await callsOf(ben).endConfirm(await desk.confirm('two'), { outcome: 'done' }, 2_100)
  await desk.allow('30')
  for (const intent of intents.slice(0, 2)) await expect(runAs('mia', intent)).rejects.toThrow('forbids this')
  expect(await begin(mia, 'one')).toMatchObject({ kind: 'over-limit' })
})

test('a role of any name can be limited, but not an unknown one or one that cannot log in', async () => {
  const { ana, ben, admin, address, nameOf } = await openAll()
  const set = (forRole: string) => setLimit(ana, account, { ...prepareOnly, forRole })
  const odd = `${nameOf('mia')} "Ü" o'x`
  const quoted = `"${odd.replaceAll('"', '""')}"`
  await admin(
    `CREATE ROLE ${quoted} LOGIN PASSWORD 'Secret-of-a-role-7'; GRANT ${nameOf('ben')} TO ${quoted}`,
  )
  onTestFinished(async () => void (await admin(`DROP ROLE ${quoted}`)))
  const encoded = encodeURIComponent(odd)
  const journal = await findJournalKind('PostgreSQL').openAt(address('ben').replace(nameOf('ben'), encoded))
  onTestFinished(journal.close)
  expect(await confirm(journal, 'o1')).toBe('started')
  // The limit is of the role that logs in, not of its members.
  await set(nameOf('ben'))
  expect([await confirm(ben, 'o2'), await confirm(journal, 'o2')]).toEqual(['prepare-only', 'started'])
  await set(odd)
  expect(await begin(journal, 'o3')).toEqual({ kind: 'prepare-only', role: odd })
  for (const other of [odd.toLowerCase(), odd.replaceAll('"', ''), ''])
    await expect(set(other)).rejects.toThrow()
  await admin(`ALTER ROLE ${nameOf('mia')} NOLOGIN`)
  onTestFinished(async () => void (await admin(`ALTER ROLE ${nameOf('mia')} LOGIN`)))
  await expect(set(nameOf('mia'))).rejects.toThrow(
    `the role ${nameOf('mia')} cannot log in; nothing was changed`,
  )
})
