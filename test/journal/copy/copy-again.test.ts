// What a copy does with an order that is already in the target: it inserts the calls that the target lacks, and moves
// the standing by what the source proves.
import { testCopies } from './copy-script.ts'

const copied = 'there save; there start cap=99; copy → batches 1'

const changes = [
  ['has a higher cap', 'start cap=100'],
  ['was cancelled', 'cancel'],
  ['was stopped', 'stop cap'],
  ['has a delivered card', 'deliver 0'],
  ['has failed cards', 'fail 0 1'],
]

// copy-histories.slow.test.ts has everything else that may happen to an order.
testCopies(`
  == a confirm
  there place o1; copy → orders 1, calls 1; there confirm o1; there end done; copy → calls 1, updated 1
  standing o1 → confirmed; calls o1 → create done, confirm done; create at=9000 → taken by o1; copy

  == a refused confirm that is proven
  there place o1; copy → orders 1, calls 1; there confirm o1; there end refused; there expire o1
  copy → calls 1, updated 1; standing o1 → void expired; calls o1 → create done, confirm refused expired
  create at=9000; copy

  == that an unproven confirm of the target was paid
  there place o1; copy → orders 1, calls 1; confirm o1; end unknown; unconfirmed o1
  there confirm o1 at=3000; there end done; copy → calls 1, updated 1; standing o1 → confirmed
  create at=9000 → taken by o1; copy

  == nothing about the unproven confirm of the target, and it makes a sighting worthless
  there place o1; copy → orders 1, calls 1; confirm o1; end unknown; unconfirmed o1
  read SELECT unconfirmed_at FROM orders → 2500
  there confirm o1 at=3000; there end refused; there expire o1; copy → calls 1, updated 1
  standing o1 → confirming; calls o1 → create done, confirm unknown, confirm refused expired
  read SELECT unconfirmed_at FROM orders; create at=9000 → taken by o1; copy

  == an order that the source placed and the target confirmed by its id stays one order
  there place o1; confirm o1; end done; copy → calls 1, updated 1; orders → r; standing o1 → confirmed
  create → taken by o1; confirm o1 → confirmed confirmed; copy

  == an order that the source confirmed by its id and the target placed stays one order
  there confirm o1; there end done; place o1; copy → calls 1, updated 1; orders → r; standing o1 → confirmed
  create → taken by o1; confirm o1 → confirmed confirmed; copy

  == two orders stay two if the service gave the id twice
  there place o1; create; created o1 createdAt=900; copy → orders 1, calls 1, conflicts r
  place o2 other; there place o2 another; copy → orders 1, calls 1, conflicts r; orders → another, other, r, r

  == an order is never a different one with the same id and reference
  there place o1; there place o1 again → reused from r; place o1; copy → orders 1, calls 2, updated 1
  there place o1 again → reused from r, reused from r; copy → orders 1, calls 1
  place o1 again → reused from r, reused from r, reused from r; copy → conflicts r; orders → r, r, r, r

  == an order that was confirmed by its id buys the slot of the batch that it was placed for
  there save; there start cap=99; there place o1 r slot=1; confirm o1; end done
  copy → batches 1, calls 1, updated 1; create second slot=1 → slot-taken by o1
${changes
  .map(
    ([what, change]) => `
  == a batch that was copied is refused by name and stays unchanged if it ${what} in the source
  ${copied}; there ${change}; there place o9 other; copy → changed gifts, orders 1, calls 1; copy → changed gifts
  batch → gifts, maxTotal 99, plannedAt 100, startedAt 200, changedAt 200, lastSlot 2
  cards → 1 wanted, 1 wanted, 2 wanted, 2 wanted; standing o9 → pending
`,
  )
  .join('')}
  == a batch that was copied is refused if it was a plan and was started
  there save; copy → batches 1; there start cap=99 at=300; copy → changed gifts

  == a plan that was copied is not refused if it was cancelled
  there save; copy → batches 1; there cancel; copy

  == a batch that was copied is copied again if the target replaced the plan
  there save; copy → batches 1; replace id=bat_other demand=other; copy → batches 1, renamed gifts gifts-2; copy
  list → gifts-2 3, gifts 2

  == a batch that was copied is not refused because the target goes on with it
  ${copied}; place t1 here slot=1; deliver 0; copy; cards → 1 delivered, 1 wanted, 2 wanted, 2 wanted

  == a slot has one live order: a new one gives way, and so does one of the target to a confirmed one
  ${copied}; place t1 here-1 slot=1; place t2 here-2 slot=2; there place o1 there-1 slot=1
  there place o2 there-2 slot=2; there confirm o2; there end done; copy → orders 2, calls 3
  standing o1 → void unwanted; standing t1 → pending; standing o2 → confirmed; standing t2 → void unwanted
  there create slot=1 → slot-taken by o1

  == two orders of a slot that may have spent are both reported, and no other slot is bought again
  ${copied}; place t1 here slot=1; confirm t1; there place o1 there slot=1; there confirm o1; there end done
  there place o2 slot=2; there confirm o2; there end done
  copy → orders 2, calls 4, clashes gifts o1 t1; copy → clashes gifts o1 t1
  create slot=2 → slot-taken by o2; standing o1 → confirmed

  == an order that the target confirmed by hand replaces one that was not confirmed
  ${copied}; place t1 here slot=1; there place o1 there slot=1; confirm o1 there; copy → calls 1, updated 1
  bought 1 → there confirming, here void unwanted; confirm t1 → slot-taken by o1

  == no slot is bought again, even if the batch changed
  ${copied}; there place o1 slot=1; there confirm o1; there end done; there deliver 0
  copy → changed gifts, orders 1, calls 2; create slot=1 → slot-taken by o1
`)
