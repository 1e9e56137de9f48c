// The table of batches: saved plans, how they are found, and what is recorded about them.

import { describe, expect, test } from 'vitest'
import { journalKinds } from '../journals.ts'
import { openFor } from '../open.ts'
import { createBatchDesk } from './batch-desk.ts'
import { testBatchScripts } from './batch-script.ts'

testBatchScripts(`
  == saveBatch returns the batch that already has the name, in any letter case
  save; save at=200 → is gifts; save id=bat_2 → is gifts; save GIFTS id=bat_2 → is gifts; list → gifts

  == saveBatch replaces a different plan of the name, with all its rows and cards
  save; replace id=bat_2 rows=RIDE:1 per=1; batch → gone; count rows → 0; cards
  cards batch=2 → 1 wanted; find bat_2 → gifts 2

  == saveBatch does not replace the same plan
  save; replace at=200 → is gifts; batch → gifts, maxTotal 1000000, plannedAt 100, changedAt 100, lastSlot 2

  == saveBatch does not replace a plan that was started or cancelled
  save; start; replace id=bat_2 → is gifts; cancel; replace id=bat_2 → is gifts

  == saveBatch does not replace a plan with an order that is being created, can be confirmed or may be paid
  save; start; create slot=1; replace id=bat_2 → is gifts; created o1; replace id=bat_2 → is gifts
  confirm o1; replace id=bat_2 → is gifts

  == saveBatch cancels a started plan that has only void orders, and gives its name to the new one
  save; start; create slot=1; end refused 400; save id=bat_2 at=300 → is gifts
  replace id=bat_2 at=300 → cancels the old one
  batch → gifts, maxTotal 1000000, plannedAt 100, startedAt 200, cancelledAt 300, changedAt 300, lastSlot 2
  create slot=1 → cancelled; find gifts → gifts 2; cancel batch=2; replace id=bat_1 at=500 → is gifts

  == saveBatch keeps the names of two accounts apart, and an account without a name may be any of them
  save account=one; save account=other; find gifts account=one → gifts; save → is gifts

  == findBatches finds a batch by its name or its id, and all batches of an id, the newest first
  save; save other id=bat_2; find gifts → gifts; find bat_0123456789abcdef → gifts
  save second; find bat_0123456789abcdef → second 3, gifts

  == findBatches prefers a name to an id
  save; save bat_0123456789abcdef id=bat_2; find bat_0123456789abcdef → bat_0123456789abcdef 2

  == findBatches does not find a similar name, a part of an id, or a batch of a different account
  save account=one; find Gifts; find gift; find; find bat_0123456789abcde; find %
  find gifts account=other; anywhere GIFTS → gifts; anywhere bat_0123456789abcdef → gifts

  == listBatches lists the newest first, of all profiles or of one
  save; save two profile=work; save three; list limit=2 → three 3, two 2; list profile=shop → three 3, gifts

  == findSameDemand finds other batches that buy the same and were started since then
  save; save early; save late; save never; save different demand=else
  start batch=2 at=1000; start batch=3 at=2000; start batch=5 at=4000; start at=9000
  same since=1001 → late 3; same since=1000 → late 3, early 2

  == findSameDemand finds a cancelled batch only if it may have spent
  save; save free; save spent; start batch=2; start batch=3
  place free slot=1 batch=2; place spent slot=1 batch=3; confirm spent; cancel batch=2; cancel batch=3
  same → spent 3

  == a started batch has its cap, and the time of its first start
  save; start cap=100; start cap=150.50 at=300
  batch → gifts, maxTotal 150.50, plannedAt 100, startedAt 200, changedAt 300, lastSlot 2

  == a started batch is stopped, and goes on after a new start
  save; start; stop funds
  batch → gifts, maxTotal 1000000, plannedAt 100, startedAt 200, stopped funds, changedAt 300, lastSlot 2
  start at=400; batch → gifts, maxTotal 1000000, plannedAt 100, startedAt 200, changedAt 400, lastSlot 2

  == a batch that was cancelled or replaced cannot be started
  save; cancel at=200; cancel at=300; start at=400 → not started
  batch → gifts, maxTotal 1000000, plannedAt 100, cancelledAt 200, changedAt 300, lastSlot 2

  == a reset of the sandbox deletes its batches, keeps those of other accounts, and reuses no number
  save; place a slot=1; confirm a; end done; save origin=https://elsewhere.example address=elsewhere.example
  reset; batch → gone; count rows → 0; cards; orders; count rows batch=2 → 2
  cards batch=2 → 1 wanted, 1 wanted, 2 wanted, 2 wanted; save; list → gifts 3, gifts 2
`)

describe.each(journalKinds)('on $name', (kind) => {
  test('saveBatch saves nothing of a plan that fails halfway', async () => {
    const { save, batches } = createBatchDesk((await openFor(kind)).journal)
    const slotOf = (card: number): number => {
      if (card === 0) return 1
      throw new Error('the card has no slot')
    }
    await expect(save({ slotOf })).rejects.toThrow('the card has no slot')
    const saved = [await batches.listBatchRows(1), await batches.listBatchCards(1)]
    expect([await batches.getBatch(1), ...saved]).toEqual([undefined, [], []])
  })
})
