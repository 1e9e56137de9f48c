// Changes of a batch and its cards that happen at once. Only PostgreSQL allows that.

import { expect, test } from 'vitest'
import { recordApproval } from '../../../src/journal/batches/approvals.ts'
import { openTwoProcesses, runSql, testTwoProcesses } from '../two-processes.ts'
import { createBatchDesk } from './batch-desk.ts'
import { createBatchVerbs } from './batch-script.ts'

testTwoProcesses(
  `
  == a delivery does not wait for the lock of its batch
  save; while sql SELECT 1 FROM batches FOR NO KEY UPDATE: deliver 0
  cards → 1 delivered, 1 wanted, 2 wanted, 2 wanted

  == a card that is delivered meanwhile is not wanted again
  save; fail 0 1
  while sql UPDATE batch_cards SET state = 'delivered', hash = 'hash' WHERE card = 0: retry → waits, 1
  slots → 1 3 2 2

  == a confirm that waits for its batch sees what was confirmed meanwhile
  save; start cap=64; place o1 slot=1 total=40; place o2 slot=2
  while confirm o1 total=40: confirm o2 → waits, over-cap 64 with 40 by 1

  == a plan that another process starts meanwhile is not replaced
  save; while sql UPDATE batches SET started_at = 5: replace id=bat_2 → waits, is gifts; count rows → 2

  == while another process creates an order of a slot, a create of the slot waits, and is refused
  save; while create first slot=1: create slot=1 → waits, slot-taken by first

  == if its cards are given up while an order is created, it is not confirmed, and does not hold the slot
  save; while create first slot=1: giveup 1 → 2; created a; confirm a → changed; standing a → void unwanted

  == if its cards move to another slot while an order is created, it is not confirmed, and does not hold the slot
  save; while create first slot=1: split 1; created a; confirm a → changed; standing a → void unwanted

  == orders of two slots are created at once
  save; while create first slot=1: create slot=2

  == while another process cancels the batch, its failed cards are not wanted again
  save; fail 0; while cancel: retry → waits, 0; cards → 1 failed, 1 wanted, 2 wanted, 2 wanted
  `,
  createBatchVerbs,
)

const open = async () => {
  const { journal, during } = await openTwoProcesses()
  const desk = createBatchDesk(journal)
  await desk.save()
  return { ...desk, during }
}

test('a delivery waits for another change of its cards, and sees it', async () => {
  const { batches, during } = await open()
  const seen: string[] = []
  const delivering = runSql(`UPDATE batch_cards SET state = 'delivered', hash = 'hash' WHERE card = 0`)
  const { hasWaited } = await during(delivering, () =>
    batches.changeSlotCards(1, 1, async (cards) => {
      seen.push(...cards.map(({ state }) => state))
      return []
    }),
  )
  expect([hasWaited, seen]).toEqual([true, ['delivered', 'wanted']])
})

test('while another process cancels the batch, an approval waits, and is refused', async () => {
  const { journal, during } = await open()
  const approval = { planId: 'bat_0123456789abcdef', cap: '500', forMs: 1_000, isGenuine: () => true }
  const cancelling = runSql('UPDATE batches SET cancelled_at = 5, cancelled_by = 1')
  const { result, hasWaited } = await during(cancelling, () => recordApproval(journal, 1, approval))
  expect([hasWaited, result]).toEqual([true, { kind: 'changed' }])
})

test('of two equal batches that start at once, one is started', async () => {
  const { batches, save } = await open()
  const refuseSame = {
    since: 0,
    check: (same: readonly unknown[]): void => {
      if (same.length > 0) throw new Error('an equal batch was started')
    },
  }
  for (let round = 1; round <= 5; round += 1) {
    const saved = await Promise.all(
      ['one', 'other'].map((name) => save({ name: `${name}-${round}`, demand: `demand ${round}` })),
    )
    const starts = await Promise.allSettled(
      saved.map(({ batch }) => batches.recordStart(batch, { maxTotal: '100', at: 200, refuseSame })),
    )
    expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  }
})
