// How often an order of a batch waits for PostgreSQL, and for how long other orders of the batch wait for it.

import { expect, onTestFinished, test } from 'vitest'
import { readSlotStep } from '../../src/batch/buy/buy-slot.ts'
import type { Outcome } from '../../src/client/api.ts'
import { decimal } from '../../src/contract/money/decimal.ts'
import type { Order } from '../../src/contract/schemas.ts'
import { formatLines, recordStart } from '../../src/journal/batches/batches.ts'
import { changeSlotCards } from '../../src/journal/batches/cards.ts'
import { findOpenSlots } from '../../src/journal/batches/slots.ts'
import { openMachine } from '../../src/journal/machine/machine-file.ts'
import { openSharedJournal } from '../../src/journal/shared-journal.ts'
import { recordResponse } from '../../src/operations/read.ts'
import { recordingIn } from '../operations/session.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { createDatabase } from '../support/postgres/database.ts'
import { openScratch } from '../support/scratch.ts'
import { createBatchDesk, holdMs, owner } from './batches/batch-desk.ts'
import { optionsOf, testIdentity } from './journals.ts'
import { callsOf } from './order-desk.ts'
import { type Recorded, recordRoundTrips } from './round-trip-proxy.ts'

/** `total`: the round trips. `locked`: those that begin after the batch is locked, up to COMMIT. */
type Count = { readonly total: number; readonly locked: number }

/** Of all steps. A change that raises one of them explains why in its commit. */
type Statements = { statements: number; transactions: number; commits: number }

const locksBatch = (sql: string): boolean => /FROM batches\b.*FOR NO KEY UPDATE/s.test(sql)

const countOne = ({ trips }: Recorded): Count => {
  const lockedIn = trips.findIndex((statements) => statements.some(locksBatch))
  return { total: trips.length, locked: lockedIn === -1 ? 0 : trips.length - 1 - lockedIn }
}

const add = (counts: readonly Count[]): Count => ({
  total: counts.reduce((sum, { total }) => sum + total, 0),
  locked: counts.reduce((sum, { locked }) => sum + locked, 0),
})

const openRecorded = async () => {
  const database = await createDatabase()
  const proxy = await recordRoundTrips(database)
  const scratch = openScratch()
  const machine = openMachine(scratch.folder)
  const journal = await openSharedJournal({
    ...optionsOf(database.address('ana', proxy)),
    identify: () => testIdentity,
    noted: { machine, account: owner.account },
  })
  onTestFinished(async () => {
    await journal.close()
    machine[Symbol.dispose]()
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
    scratch[Symbol.dispose]()
  })
  const counts: Record<string, Count> = {}
  const all: Statements = { statements: 0, transactions: 0, commits: 0 }
  const count = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    proxy.take()
    const result = await work()
    const taken = proxy.take()
    counts[name] = add(taken.map(countOne))
    const statements = taken.flatMap(({ trips }) => trips.flat())
    all.statements += statements.length
    // Each begins with its settings.
    all.transactions += statements.filter((sql) => sql.includes('synchronous_commit')).length
    all.commits += statements.filter((sql) => sql === 'COMMIT').length
    return result
  }
  return { journal, count, counts, all }
}

const reference = 'gifts-0001'
const answerOf = (state: string) =>
  ({
    ...{ kind: 'done', message: '' },
    data: {
      ...{ uid: 'o1', state, reference, products: new Map(), redeem: new Map(), createdDate: {} },
      invoice: { wallet: 'USD', total: decimal('25'), records: [] },
    },
  }) as unknown as Outcome<Order>

test('an order of a batch', async () => {
  const { journal, count, counts, all } = await openRecorded()
  const { save, start, createResponse, confirm } = createBatchDesk(journal)
  const { batch } = await save()
  const { number } = batch
  await recordStart(journal, batch, { maxTotal: '1000', at: 200 })
  const findStep = () =>
    readSlotStep({ journal, clock: createManualClock(1_000), serviceNow: () => 1_000 }, number, 1)
  const poll = (state: string, at: number) =>
    recordResponse(
      { ...recordingIn(journal), owner, clock: createManualClock(at) },
      { orderId: 'o1' },
      answerOf(state),
    )

  await count('find slots', () => findOpenSlots(journal.read, number, { count: 1, leavesOut: 'all' }))
  const { lines, step } = await count('find the step: create', findStep)
  if (step.kind !== 'create') throw new Error(step.kind)
  const claim = { batch: number, slot: 1, lines: formatLines(lines), holdMs }
  // Reads the lines of the slot again, outside of the transaction.
  const created = await count('begin create', () => start(1, { claim, reference }))
  await count('end create', () => callsOf(journal).endCreate(created, createResponse('o1'), 1_100))
  const begun = await count('begin confirm', () => confirm('o1', { claim, reference }))
  await count('end confirm', () => callsOf(journal).endConfirm(begun, { outcome: 'done' }, 2_100))
  await count('find the step: collect', findStep)
  await count('poll: changed', () => poll('processing', 3_000))
  await count('poll: unchanged', () => poll('processing', 4_000))
  await count('poll: final', () => poll('successful', 5_000))
  await count('deliver', () =>
    changeSlotCards(journal, number, 1, async (cards) =>
      cards.map(({ card }) => ({ card, state: 'delivered', hash: 'hash' })),
    ),
  )

  expect(counts).toEqual({
    'find slots': { total: 1, locked: 0 },
    'find the step: create': { total: 1, locked: 0 },
    'begin create': { total: 1 + 4, locked: 0 },
    // Reads the order and its calls before it writes.
    'end create': { total: 2, locked: 0 },
    'begin confirm': { total: 4, locked: 2 },
    'end confirm': { total: 2, locked: 0 },
    'find the step: collect': { total: 1, locked: 0 },
    // Reads the order again.
    'poll: changed': { total: 3, locked: 0 },
    'poll: unchanged': { total: 1, locked: 0 },
    'poll: final': { total: 3, locked: 0 },
    deliver: { total: 3, locked: 0 },
  })
  expect(add(Object.values(counts))).toEqual({ total: 26, locked: 2 })
  expect(all).toEqual({ statements: 75, transactions: 14, commits: 7 })
})
