// Approvals of batches: who may approve, what an approval covers, and what is refused without one.

import { describe, expect, onTestFinished, test } from 'vitest'
import { readApprovalFacts } from '../../../src/journal/batches/approval-guard.ts'
import {
  listRequested,
  readApproval,
  recordApproval,
  requestApproval,
  resumeBatch,
  type StoredPlan,
} from '../../../src/journal/batches/approvals.ts'
import type { Batch } from '../../../src/journal/batches/batch.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { removeLimit, setLimit } from '../../../src/journal/limits/limits.ts'
import { openTeam } from '../../support/postgres/team.ts'
import { bindTo, findJournalKind } from '../journals.ts'
import { type BatchDesk, createBatchDesk, createRow, owner } from './batch-desk.ts'

const dayMs = 24 * 60 * 60 * 1000
const planId = 'bat_0123456789abcdef'

const limitTo = (journal: Journal, amount: string): Promise<void> =>
  setLimit(journal, owner.account, { kind: 'approval', currency: 'USD', amount })

const start = async ({ batches }: BatchDesk, maxTotal: string): Promise<boolean> =>
  batches.recordStart((await batches.getBatch(1)) as Batch, {
    ...{ maxTotal, at: 200 },
    checkApproval: ({ limits, approvedCaps }) => {
      const isNeeded = limits.some((limit) => Number(maxTotal) > Number(limit))
      if (isNeeded && !approvedCaps.some((cap) => Number(maxTotal) <= Number(cap)))
        throw new Error('no approval')
    },
  })

const functions = {
  ...{ ask: requestApproval, approve: recordApproval },
  ...{ listRequested, readApproval, readApprovalFacts },
}

const openAll = async () => {
  const team = await openTeam('bob', 'carol')
  const open = async (role: string) => {
    const journal = await team.openAs(role)
    return { ...createBatchDesk(journal), ...bindTo(journal, functions) }
  }
  const [ana, bob, carol] = await Promise.all(['ana', 'bob', 'carol'].map(open))
  if (ana === undefined || bob === undefined || carol === undefined) throw new Error('three roles')
  await limitTo(ana.journal, '100')
  /** Bob has planned it. */
  await bob.save()
  return { ...team, ana, bob, carol }
}

const day = { planId, cap: '500', forMs: dayMs, isGenuine: () => true }

describe('approve', () => {
  test('records the roles and the time that the server knows', async () => {
    const { ana, bob, nameOf } = await openAll()
    await bob.ask(1, { planId, cap: '500' })
    const approved = await ana.approve(1, day)
    const { limits, ownRole, plannedBy, request, approvals } = (await bob.readApproval({ number: 1 })) ?? {}
    expect([limits, ownRole, plannedBy]).toEqual([['100'], nameOf('bob'), nameOf('bob')])
    expect(request).toMatchObject({ cap: '500', role: nameOf('bob') })
    expect(approvals).toEqual([
      {
        ...{ cap: '500', role: nameOf('ana'), isValid: true },
        approvedAt: expect.closeTo(Date.now(), -5),
        until: 'until' in approved ? approved.until : 0,
      },
    ])
    expect(approvals?.[0]?.until).toBeGreaterThanOrEqual((approvals?.[0]?.approvedAt ?? 0) + dayMs - 60_000)
  })

  test('refuses the role that planned the batch, and the role that asked', async () => {
    const { bob, carol, ana, openAs } = await openAll()
    expect(await bob.approve(1, day)).toEqual({ kind: 'own' })
    const elsewhere = await openAs('bob', { osUser: 'ana', host: 'elsewhere' })
    expect(await recordApproval(elsewhere, 1, day)).toEqual({ kind: 'own' })
    await carol.ask(1, { planId, cap: '500' })
    expect(await carol.approve(1, day)).toEqual({ kind: 'own' })
    expect(await bob.approve(1, day)).toEqual({ kind: 'own' })
    expect((await ana.approve(1, day)).kind).toBe('approved')
  })

  test('refuses a plan that does not match its id', async () => {
    const { ana } = await openAll()
    const seen: StoredPlan[] = []
    const isGenuine = (plan: StoredPlan) => seen.push(plan) > 9
    expect(await ana.approve(1, { ...day, isGenuine })).toEqual({ kind: 'forged' })
    const rows = [{ sku: 'GAME-US' }, { sku: 'COFFEE' }]
    expect(seen).toMatchObject([{ rows, cardsOf: new Map([3, 1].entries()) }])
    expect((await ana.readApproval({ number: 1 }))?.approvals).toEqual([])
  })

  test('refuses a different plan, a deleted plan and a cancelled batch', async () => {
    const { ana, bob } = await openAll()
    expect(await ana.approve(1, { ...day, planId: 'bat_fedcba9876543210' })).toEqual({ kind: 'changed' })
    expect(await ana.approve(2, day)).toEqual({ kind: 'changed' })
    await bob.ask(1, { planId: 'bat_fedcba9876543210', cap: '500' })
    await bob.batches.recordCancel(1, 300)
    expect(await ana.approve(1, day)).toEqual({ kind: 'changed' })
    await bob.ask(1, { planId, cap: '500' })
    expect(await bob.readApproval({ number: 1 })).not.toHaveProperty('request', expect.anything())
  })

  test('the first role that asked stays the asker until the cap changes or is approved', async () => {
    const { ana, bob, carol, nameOf } = await openAll()
    const readAsker = async () => (await bob.readApproval({ number: 1 }))?.request
    await bob.ask(1, { planId, cap: '500' })
    const first = await readAsker()
    await carol.ask(1, { planId, cap: '500' })
    expect(await readAsker()).toEqual(first)
    await carol.ask(1, { planId, cap: '600' })
    expect(await readAsker()).toMatchObject({ role: nameOf('carol'), cap: '600' })
    await ana.approve(1, day)
    await bob.ask(1, { planId, cap: '600' })
    expect(await readAsker()).toMatchObject({ role: nameOf('bob') })
  })
})

test('an approval is for one batch, even if a second batch has the same plan', async () => {
  const { ana, bob, carol, nameOf } = await openAll()
  const { batch } = await bob.save({ name: 'again' })
  await bob.ask(2, { planId, cap: '500' })
  await ana.approve(1, day)
  await carol.ask(2, { planId, cap: '500' })
  expect(await bob.readApproval(batch)).toMatchObject({ request: { role: nameOf('bob') }, approvals: [] })
  expect((await bob.readApprovalFacts(2)).approvedCaps).toEqual([])
  expect((await bob.readApprovalFacts(1)).approvedCaps).toEqual(['500'])
})

describe('a role with its own SQL', () => {
  const insert = (role: string) =>
    `INSERT INTO approvals (batch, plan_id, cap, role, planned_by, asked_by, approved_at, until)
     VALUES (1, '${planId}', '500', '${role}', 'x', 'x', 1, 9999999999999)`

  test("cannot approve in a different role's name", async () => {
    const { runAs, nameOf, ana } = await openAll()
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
    expect((await ana.readApproval({ number: 1 }))?.approvals).toMatchObject([{ role: nameOf('carol') }])
  })

  test('cannot change an approval, or who planned and asked', async () => {
    const { runAs, ana, bob, nameOf } = await openAll()
    await bob.ask(1, { planId, cap: '500' })
    await ana.approve(1, day)
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
    const state = await ana.readApproval({ number: 1 })
    expect([state?.plannedBy, state?.request?.role]).toEqual([nameOf('bob'), nameOf('bob')])
    expect(state?.request?.askedAt).toBeGreaterThan(1)
    expect(state?.approvals[0]?.cap).toBe('500')
  })
})

describe('startBatch', () => {
  test('needs a valid approval of the cap', async () => {
    const { ana, bob, expireApprovals } = await openAll()
    await setLimit(ana.journal, owner.account, { kind: 'day', currency: 'USD', amount: '1' })
    expect(await start(bob, '100')).toBe(true)
    await expect(start(bob, '101')).rejects.toThrow('no approval')
    await ana.approve(1, { ...day, forMs: 0 })
    await expect(start(bob, '101')).rejects.toThrow('no approval')
    await ana.approve(1, day)
    expect(await start(bob, '500')).toBe(true)
    await expect(start(bob, '501')).rejects.toThrow('no approval')
    // Any role may run it, several times.
    expect([await start(ana, '400'), await start(ana, '500')]).toEqual([true, true])
    await expireApprovals()
    await expect(start(ana, '500')).rejects.toThrow('no approval')
    expect((await bob.readApproval({ number: 1 }))?.approvals.map(({ isValid }) => isValid)).toEqual([
      false,
      false,
    ])
    // Limits in a different currency or of a different account do not apply.
    await removeLimit(ana.journal, owner.account, { kind: 'approval', currency: 'USD' })
    await setLimit(ana.journal, owner.account, { kind: 'approval', currency: 'EUR', amount: '1' })
    const elsewhere = { address: 'https://other.example' }
    await setLimit(ana.journal, elsewhere, { kind: 'approval', currency: 'USD', amount: '1' })
    expect(await start(bob, '500')).toBe(true)
  })

  test('a replaced plan loses its approvals, and belongs to the role that replaced it', async () => {
    const { ana, bob, carol, nameOf } = await openAll()
    await bob.ask(1, { planId, cap: '500' })
    await ana.approve(1, day)
    const other = {
      id: 'bat_fedcba9876543210',
      rows: [createRow('GAME-US', 9)],
      lastSlot: 1,
      slotOf: () => 1,
    }
    const { batch } = await carol.save(other, true)
    expect(await bob.readApproval(batch)).toMatchObject({ plannedBy: nameOf('carol'), approvals: [] })
    expect(await bob.readApproval({ number: 1 })).toBeUndefined()
    const again = { ...day, planId: other.id }
    expect(await carol.approve(batch.number, again)).toEqual({ kind: 'own' })
    expect((await bob.approve(batch.number, again)).kind).toBe('approved')
  })
})

describe('beginConfirm', () => {
  test('refuses a single order above the limit', async () => {
    const { ana } = await openAll()
    await limitTo(ana.journal, '24')
    expect(await ana.beginConfirm('single')).toEqual({
      ...{ kind: 'not-approved', limits: ['24'], known: undefined },
    })
    await limitTo(ana.journal, '25')
    expect((await ana.beginConfirm('single')).kind).toBe('started')
  })

  test('an approval that expires between two orders stops the second', async () => {
    const { ana, bob, expireApprovals } = await openAll()
    await bob.place(1, 'one')
    await bob.place(2, 'two')
    await ana.approve(1, day)
    await start(bob, '500')
    expect((await bob.beginConfirm('one')).kind).toBe('started')
    await expireApprovals()
    expect(await bob.beginConfirm('two')).toMatchObject({
      ...{ kind: 'not-approved', limits: ['100'], known: { orderId: 'two', batch: 1 } },
    })
    await ana.approve(1, day)
    expect((await bob.beginConfirm('two')).kind).toBe('started')
  })

  test('the orders of a batch stay within the approved cap', async () => {
    const { ana, bob } = await openAll()
    await limitTo(ana.journal, '10')
    await bob.place(1, 'one')
    await bob.place(2, 'two')
    await ana.approve(1, { ...day, cap: '49' })
    expect((await bob.beginConfirm('one')).kind).toBe('started')
    expect((await bob.beginConfirm('two')).kind).toBe('not-approved')
  })
})

test('listRequested lists open batches with a requested cap, the newest first', async () => {
  const { bob, carol } = await openAll()
  await bob.save({ name: 'other', profile: 'eu', demand: 'other' })
  await bob.ask(1, { planId, cap: '500' })
  await carol.ask(2, { planId, cap: '500' })
  expect([await bob.listRequested(undefined), await bob.listRequested('eu')]).toEqual([[2, 1], [2]])
  await bob.batches.recordCancel(2, 300)
  expect(await bob.listRequested(undefined)).toEqual([1])
  for (const slot of [1, 2])
    await bob.batches.changeSlotCards(1, slot, (cards) =>
      cards.map(({ card }) => ({ card, state: 'delivered' })),
    )
  expect(await bob.listRequested(undefined)).toEqual([])
})

test('resumeBatch resumes only the batch that stopped for its approval', async () => {
  const { journal, close } = await findJournalKind('SQLite').open()
  onTestFinished(close)
  const { batches, save } = createBatchDesk(journal)
  await save()
  await save({ name: 'other' })
  const readStops = async () => [(await batches.getBatch(1))?.stopped, (await batches.getBatch(2))?.stopped]
  await batches.recordStop(2, 'approval', 200)
  for (const reason of ['cap', 'funds', 'budget'] as const) {
    await batches.recordStop(1, reason, 200)
    expect(await resumeBatch(journal, 1, () => true)).toBe(false)
    expect(await readStops()).toEqual([reason, 'approval'])
  }
  await batches.recordStop(1, 'approval', 200)
  expect(await resumeBatch(journal, 1, () => false)).toBe(false)
  expect(await readStops()).toEqual(['approval', 'approval'])
  expect(await resumeBatch(journal, 1, () => true)).toBe(true)
  expect(await readStops()).toEqual([undefined, 'approval'])
})

test('SQLite has no approvals, so a limit allows no larger order', async () => {
  const { journal, close } = await findJournalKind('SQLite').open()
  onTestFinished(close)
  const desk = createBatchDesk(journal)
  await desk.save()
  await limitTo(journal, '24')
  expect([
    await readApproval(journal.read, { number: 1 }),
    await listRequested(journal.read, undefined),
  ]).toEqual([undefined, []])
  await desk.place(1, 'one')
  expect((await desk.beginConfirm('one')).kind).toBe('not-approved')
})
