// The wanted cards of batches: their slots and results.

import { testBatchScripts } from './batch-script.ts'

testBatchScripts(`
  == failCards gives up the cards that match, once
  save; giveup 2 COFFEE → 1; cards → 1 wanted, 1 wanted, 2 wanted, 2 failed; giveup 2 COFFEE → 0

  == failCards leaves the cards of a slot with a live order, or a bought one, alone
  save; place a slot=2; giveup 2 COFFEE → 0; cards → 1 wanted, 1 wanted, 2 wanted, 2 wanted
  get a rejected; giveup 2 COFFEE → 0

  == failCards gives up the cards of an expired order
  save; place a slot=2; expire a; giveup 2 COFFEE → 1

  == splitSlot uses the slot itself before it adds new ones
  save; split 1; slots → 1 3 2 2; split 2; slots → 1 3 2 4
  batch → gifts, maxTotal 1000000, plannedAt 100, changedAt 100, lastSlot 4

  == splitSlot groups the wanted cards by their products
  save; split 2 by-sku; slots → 1 1 2 3; create slot=2; bought 2 → gifts-2-1 creating

  == splitSlot moves only wanted cards, of a slot without a live order
  save; place a slot=1; giveup 2 COFFEE → 1; split 1; split 2; slots → 1 1 2 2

  == splitSlot does nothing while an order is created
  save; create slot=1; split 1 at=2000; slots → 1 1 2 2

  == retryFailed wants the failed cards again, in new slots
  save; deliver 0; fail 1; giveup 2 COFFEE → 1; retry → 2
  cards → 1 delivered, 3 wanted, 2 wanted, 4 wanted
  batch → gifts, maxTotal 1000000, plannedAt 100, changedAt 100, lastSlot 4

  == retryFailed does nothing if the order of a failed card is new, or shows other cards than before
  save; place a slot=1; confirm a; end done; sql UPDATE orders SET delivered = 1; fail 0
  retry seen=2:1 → other cards; retry seen=1:0 → other cards; cards → 1 failed, 1 wanted, 2 wanted, 2 wanted
  retry seen=1:1 → 0; sql UPDATE orders SET result = 'partial'; retry seen=1:1 → 1

  == cancelWanted keeps the cards that a confirmed order, or one with an unproven confirm, may deliver
  save; place a slot=1; place b slot=2; confirm a; end done; confirm b; cancel; drop
  cards → 1 wanted, 1 wanted, 2 wanted, 2 wanted

  == cancelWanted does nothing if the batch is not cancelled
  save; drop; cards → 1 wanted, 1 wanted, 2 wanted, 2 wanted

  == the counts of a batch are those of its own rows, cards and orders
  save; save other rows=RIDE:9 per=9; count rows → 2; count rows batch=2 → 1; count slots → 2
  place a slot=1; confirm a; end done; sql UPDATE orders SET result = 'failed'; fail 0 1; count slots → 2; retry → 2; count slots → 3

  == the counts omit the cards that were given up, and their order that was not confirmed
  save; place b slot=2; expire b; giveup 2 → 2; count slots → 1; count ended → 0

  == a wanted card is unproven only while its confirm is, and not before the deadline of the confirm
  save; create slot=1; end unknown; place b slot=2; count unknown → 0
  confirm b; count unknown → 2; count unknown now=47000 → 0; count unknown now=47001 → 2
  end unknown; count unknown now=47000 → 2; expire b; count unknown → 0

  == the cards of a refused confirm are not unknown
  save; place b slot=2; confirm b; end refused 400; count unknown → 0

  == changes of the cards of a batch leave those of another batch alone
  save; save other; fail 0 1 batch=2; fail 0 1; open → 2; retry → 2; split 3; cancel; drop
  cards → 3 cancelled, 4 cancelled, 2 cancelled, 2 cancelled
  cards batch=2 → 1 failed, 1 failed, 2 wanted, 2 wanted
  batch batch=2 → other, maxTotal 1000000, plannedAt 100, changedAt 100, lastSlot 2
  retry batch=2 → 2; open
`)
