// At most one order of a slot is bought, and a batch stays within its cap.
import { everyJournalKind } from '../journals.ts'
import { testBatchScripts } from './batch-script.ts'

/** Two orders of slot 1, with different references: the response to the first came late. */
const placeTwo = 'save; create slot=1 at=0 until=900 #late; place new slot=1; created late #late at=1200'

testBatchScripts(
  `
  == of two orders of a slot, only the newer one is confirmed
  ${placeTwo}; confirm late → slot-taken by new; confirm late again → slot-taken by new; confirm new
  `,
  everyJournalKind,
)

testBatchScripts(`
  == an order of a slot is created with its batch and slot
  save; create slot=2; bought 2 → gifts-2-1 creating; bought 1

  == an order of a slot is not created beside a pending create, but for a different slot it is
  save; create slot=1 at=4000; create slot=1 at=5000 → slot-taken by gifts-1-1; create slot=2 at=5000
  bought 1 → gifts-1-1 creating

  == an order of a slot is not created beside one that was created, or may be confirmed
  save; place a slot=1; create slot=1 → slot-taken by a; confirm a; create slot=1 → slot-taken by a
  end not-sent; create slot=1 → slot-taken by a; confirm a; end refused 419; create slot=1 → slot-taken by a
  confirm a; end unknown; create slot=1 → slot-taken by a; end done; create slot=1 → slot-taken by a
  get a failed; create slot=1 → slot-taken by a; bought 1 → gifts-1-1 confirmed

  == an order of a slot is not created beside one whose response was unclear, but has an id
  save; create slot=1; created a outcome=unknown; create slot=1 at=5000 → slot-taken by a

  == an order of a slot is created after creates that created nothing
  save; create slot=1; end refused; create slot=1; end not-sent; create slot=1; end unknown; create slot=1

  == an order of a slot is created after the create of a process that is gone
  save; create slot=1 at=0 until=900; create slot=1 at=5000

  == an order of a slot is created after one that expired, even if its confirm was refused
  save; place a slot=1; expire a; place b slot=1; confirm b; end refused 419; expire b; create slot=1

  == an order of a slot is not created with other products than the slot wants
  save; claim 2 #old; create slot=1 claim=#old → changed; giveup 2 COFFEE → 1
  create slot=2 claim=#old → changed; create slot=2

  == an order of a slot is not created if the batch is cancelled or gone
  save; claim 1 #old; cancel; create slot=1 → cancelled; reset; create claim=#old → changed; orders

  == an order of a slot is confirmed with the claim of the batch, and by hand without it
  save; place a slot=1; place b slot=2; confirm a slot=1; confirm b

  == an older order of a slot is confirmed once the newer one has expired
  ${placeTwo}; expire new; confirm late

  == an order of a slot is confirmed although a run that died holds the slot with its create
  save; create slot=1 at=0 until=900 #late; create slot=1 at=1000 until=1900; created late #late at=1950
  confirm late at=5000; bought 1 → gifts-1-2 void lost, gifts-1-1 confirming

  == an order of a slot is not confirmed if the confirm of an older order may have spent
  ${placeTwo}; expire new; confirm late; confirm new → slot-taken by late; create slot=1 → slot-taken by late
  end refused 400; confirm new → slot-taken by late; create slot=1 → slot-taken by late
  confirm late; end unknown; confirm new → slot-taken by late; create slot=1 → slot-taken by late
  end done; confirm new → slot-taken by late; create slot=1 → slot-taken by late

  == an order of a slot is not confirmed with the claim of a different slot or batch that wants the same
  save rows=GAME-US:2 per=1; save other rows=GAME-US:2 per=1; place a slot=1
  confirm a slot=2 → slot-taken by a; confirm a slot=1 batch=2 → slot-taken by a

  == an order of a slot is not confirmed if the slot wants other products, neither by hand nor with the present claim
  save; place b slot=2; claim 2 #old; fail 3
  confirm b claim=#old → changed; confirm b → changed; confirm b slot=2 → changed

  == an order of a slot is not confirmed if its request is damaged
  save; place a slot=1 request={; confirm a → changed; place b slot=2 request={}; confirm b → changed

  == an order of a slot is not confirmed if a product of its request is damaged
  save; place a slot=1 request={"productList":[{}]}; confirm a → changed

  == an order of a slot is not confirmed if the batch is cancelled
  save; place a slot=1; cancel; confirm a → cancelled; confirm a again → cancelled

  == an order of a slot is not confirmed without its batch, after the response to its create was lost
  save; create gifts-0001 slot=1; end unknown; place second gifts-0001-2 slot=1
  confirm lost gifts-0001 → taken by gifts-0001; confirm second; confirm lost gifts-0001 → taken by gifts-0001
  confirm lost gifts-0001 again

  == the cap counts confirmed and unproven totals, without the order itself
  save; place a slot=1 total=50; place b slot=2 total=27.5; start cap=50; confirm a total=50; committed → 50 by 1
  confirm b total=27.5 → over-cap 50 with 50 by 1; confirm b total=27.5 again → over-cap 50 with 50 by 1
  state b → created; end refused 400; confirm a total=50
  start cap=77.5; confirm b total=27.5; end done; committed → 77.5 by 2

  == the cap counts orders of the same total together, and not those of a different batch
  save; place a slot=1 total=50; place b slot=2 total=50; save other; place c slot=1 batch=2 total=1
  confirm a; end done; confirm b; end done; confirm c total=1; committed → 100 by 2; committed batch=2 → 1 by 1

  == the cap counts an unproven order until it is proven to be unconfirmed
  save; place a slot=1 total=50; place b slot=2 total=27.5; confirm b total=27.5; end unknown
  committed → 27.5 by 1; expire b; committed → 0 by 0; confirm a; end refused; committed → 50 by 1
  expire a; committed → 0 by 0
`)
