// Approvals of batches: who may approve, what an approval covers, and what is refused without one.

import { describe, expect, test } from 'vitest'
import {
  listRequested,
  readApproval,
  recordApproval,
  requestApproval,
  resumeBatch,
  type StoredPlan,
} from '../../../src/journal/batches/approvals.ts'
import { readApprovedCaps, setLimit } from '../../../src/journal/limits.ts'
import { openTeam } from '../../support/postgres/team.ts'
import { openFor } from '../open.ts'
import { testTeam } from '../team-script.ts'
import { createBatchDesk, owner } from './batch-desk.ts'

const dayMs = 24 * 60 * 60 * 1000
const planId = 'bat_0123456789abcdef'
const day = { planId, cap: '500', forMs: dayMs, isGenuine: () => true }

const planned = 'ana limit approval 100; bob save'
const twoOrders = 'bob place one slot=1; bob place two slot=2'

testTeam(
  ['bob', 'carol'],
  `
  == an approval has the roles that planned, asked and approved
  ${planned}; bob ask 500; ana approve 500
  bob approval → limit 100, planned by bob, asked 500 by bob, approved 500 by ana

  == the role that planned the batch cannot approve it, nor can the role that asked
  ${planned}; bob approve 500 → own; carol ask 500; carol approve 500 → own; bob approve 500 → own; ana approve 500

  == a different plan, a deleted plan and a cancelled batch cannot be approved
  ${planned}; ana approve 500 plan=bat_2 → changed; ana approve 500 batch=2 → changed; bob ask 500 plan=bat_2
  bob cancel; ana approve 500 → changed; bob ask 500; bob approval → limit 100, planned by bob

  == the first role that asked stays the asker until the cap changes or is approved
  ${planned}; bob ask 500; carol ask 500; ana approval → limit 100, planned by bob, asked 500 by bob
  carol ask 600; ana approval → limit 100, planned by bob, asked 600 by carol; ana approve 500; bob ask 600
  ana approval → limit 100, planned by bob, asked 600 by bob, approved 500 by ana

  == an approval is for one batch, even if a second batch has the same plan
  ${planned}; bob save second; bob ask 500 batch=2; ana approve 500; carol ask 500 batch=2
  bob approval batch=2 → limit 100, planned by bob, asked 500 by bob; bob caps batch=2; bob caps → 500

  == a batch above the limit starts only with a valid approval of its cap, for any role, several times
  ${planned}; ana limit day 1; bob start cap=100; bob start cap=101 → no approval; ana approve 500 forMs=0
  bob start cap=101 → no approval; ana approve 500; bob start cap=500
  bob start cap=501 → no approval; ana start cap=400; ana start cap=500; approvals expire
  ana start cap=500 → no approval
  bob approval → limit 100, planned by bob, expired 500 by ana, expired 500 by ana

  == a batch starts without an approval if the limit is in a different currency or of a different account
  ana limit approval 1 EUR; ana limit approval 1 origin=https://other.example; bob save; bob start cap=500

  == a replaced plan loses its approvals, and belongs to the role that replaced it
  ${planned}; bob ask 500; ana approve 500; carol replace id=bat_2 rows=GAME-US:9 per=9
  bob approval batch=2 → limit 100, planned by carol; bob approval → no batch
  carol approve 500 batch=2 plan=bat_2 → own; bob approve 500 batch=2 plan=bat_2

  == a single order above the limit cannot be confirmed
  ana limit approval 24; ana confirm single s → not-approved above 24; ana limit approval 25; ana confirm single s

  == an approval that expires between two orders stops the second
  ${planned}; ${twoOrders}; ana approve 500; bob start cap=500; bob confirm one; approvals expire
  bob confirm two → not-approved above 100 for two; ana approve 500; bob confirm two

  == the orders of a batch stay within the approved cap
  ana limit approval 10; bob save; ${twoOrders}; ana approve 49; bob confirm one
  bob confirm two → not-approved above 10 for two

  == open batches with a requested cap are listed, the newest first
  bob save; bob save other profile=eu demand=other; bob ask 500; carol ask 500 batch=2; bob requested → 2 1
  bob requested profile=eu → 2; bob cancel batch=2; bob requested → 1; bob deliver 0 1 2 3; bob requested
  `,
)

const openAll = async () => {
  const team = await openTeam('bob', 'carol')
  const [ana, bob] = [await team.openAs('ana'), await team.openAs('bob')]
  /** Bob has planned it. */
  const { batch } = await createBatchDesk(bob).save()
  return { ...team, ana, bob, batch }
}

test('an approval has the time of the server, and the role counts, not the OS user', async () => {
  const { ana, bob, openAs, batch } = await openAll()
  const elsewhere = await openAs('bob', { osUser: 'ana', host: 'elsewhere' })
  expect(await recordApproval(elsewhere, 1, day)).toEqual({ kind: 'own' })
  const approved = await recordApproval(ana, 1, day)
  const [approval] = (await readApproval(bob.read, batch))?.approvals ?? []
  expect(approval?.approvedAt).toBeCloseTo(Date.now(), -5)
  expect(approval?.until).toBe('until' in approved ? approved.until : 0)
  expect(approval?.until).toBeGreaterThanOrEqual((approval?.approvedAt ?? 0) + dayMs - 60_000)
})

test('a plan that does not match its id cannot be approved', async () => {
  const { ana, batch } = await openAll()
  const seen: StoredPlan[] = []
  const isGenuine = (plan: StoredPlan) => {
    seen.push(plan)
    return false
  }
  expect(await recordApproval(ana, 1, { ...day, isGenuine })).toEqual({ kind: 'forged' })
  const rows = [{ sku: 'GAME-US' }, { sku: 'COFFEE' }]
  expect(seen).toMatchObject([
    {
      rows,
      cardsOf: new Map([
        [0, 3],
        [1, 1],
      ]),
    },
  ])
  expect((await readApproval(ana.read, batch))?.approvals).toEqual([])
})

describe('a role with its own SQL', () => {
  const insert = (role: string) =>
    `INSERT INTO approvals (batch, plan_id, cap, role, planned_by, asked_by, approved_at, until)
     VALUES (1, '${planId}', '500', '${role}', 'x', 'x', 1, 9999999999999)`

  test("cannot approve in a different role's name", async () => {
    const { runAs, nameOf, ana, batch } = await openAll()
    const forgeries = [
      insert(nameOf('ana')),
      // The role's own table of batches.
      `CREATE TEMP TABLE batches AS SELECT 1::bigint AS number, 'ana'::text AS role;
       CREATE TEMP TABLE approval_requests AS SELECT 1::bigint AS batch, 'ana'::text AS role;
       INSERT INTO public.approvals (batch, plan_id, cap, until) VALUES (1, '${planId}', '500', 9999999999999)`,
      // The role's own type.
      `CREATE TYPE pg_temp.text AS ENUM ('${nameOf('ana')}');
       CREATE FUNCTION pg_temp.forge(name) RETURNS pg_temp.text LANGUAGE sql
         AS $$ SELECT '${nameOf('ana')}'::pg_temp.text $$;
       CREATE CAST (name AS pg_temp.text) WITH FUNCTION pg_temp.forge(name);
       INSERT INTO approvals (batch, plan_id, cap, until) VALUES (1, '${planId}', '500', 9999999999999)`,
    ]
    for (const sql of forgeries) await expect(runAs('bob', sql), sql).rejects.toThrow('approved_by_another')
    await runAs('carol', insert(nameOf('ana')))
    expect((await readApproval(ana.read, batch))?.approvals).toMatchObject([{ role: nameOf('carol') }])
  })

  test('cannot use the approval of a plan with other rows', async () => {
    const { runAs, nameOf, bob, batch } = await openAll()
    await runAs('ana', insert(nameOf('ana')).replace(planId, 'bat_2'))
    expect(await readApprovedCaps(bob.read, batch.number)).toEqual([])
    expect((await readApproval(bob.read, batch))?.approvals).toEqual([])
    await runAs('ana', insert(nameOf('ana')))
    expect(await readApprovedCaps(bob.read, batch.number)).toEqual(['500'])
  })

  test('cannot change an approval, or who planned and asked', async () => {
    const { runAs, ana, bob, nameOf, batch } = await openAll()
    await requestApproval(bob, 1, { planId, cap: '500' })
    await recordApproval(ana, 1, day)
    await expect(runAs('bob', `UPDATE approvals SET cap = '9000'`)).rejects.toThrow('permission denied')
    await expect(runAs('bob', 'DELETE FROM approvals')).rejects.toThrow('permission denied')
    // Not even the owner of the table.
    await expect(runAs('ana', `UPDATE approvals SET cap = '9000'`)).rejects.toThrow(
      'cannot change an approval',
    )
    await expect(runAs('bob', `UPDATE batches SET written_by = '${nameOf('ana')}'`)).rejects.toThrow(
      'cannot change a saved plan',
    )
    await runAs('bob', `UPDATE approval_requests SET role = '${nameOf('ana')}', asked_at = 1`)
    const state = await readApproval(ana.read, batch)
    expect([state?.plannedBy, state?.request?.role]).toEqual([nameOf('bob'), nameOf('bob')])
    expect(state?.request?.askedAt).toBeGreaterThan(1)
    expect(state?.approvals[0]?.cap).toBe('500')
  })
})

test('resumeBatch resumes only the batch that stopped for its approval', async () => {
  const { journal } = await openFor()
  const { batches, save } = createBatchDesk(journal)
  await save()
  await save({ name: 'other' })
  const readStops = async () => [(await batches.getBatch(1))?.stopped, (await batches.getBatch(2))?.stopped]
  await batches.recordStop(2, 'approval', 200)
  for (const reason of ['cap', 'funds', 'budget'] as const) {
    await batches.recordStop(1, reason, 200)
    expect(await resumeBatch(journal, 1)).toBe(false)
    expect(await readStops()).toEqual([reason, 'approval'])
  }
  await batches.recordStop(1, 'approval', 200)
  expect(await resumeBatch(journal, 1)).toBe(true)
  expect(await readStops()).toEqual([undefined, 'approval'])
})

test('SQLite has no approvals, so a limit allows no larger order', async () => {
  const { journal } = await openFor()
  const desk = createBatchDesk(journal)
  const { batch } = await desk.save()
  await setLimit(journal, owner.account, { kind: 'approval', currency: 'USD', amount: '24' })
  expect([await readApproval(journal.read, batch), await listRequested(journal.read, undefined)]).toEqual([
    undefined,
    [],
  ])
  await desk.place(1, 'one')
  expect((await desk.beginConfirm('one')).kind).toBe('not-approved')
})
