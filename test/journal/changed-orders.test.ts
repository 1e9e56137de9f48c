// When the journal was last updated about the orders that a process waits for.
import { listChangedOrders } from '../../src/journal/orders/list-orders.ts'
import { journalKinds, type SharedJournal } from './journals.ts'
import { owner } from './order-desk.ts'
import { createOrderVerbs, testScripts } from './script.ts'

const manyIds = Array.from({ length: 450 }, (_, index) => `x${index}`).join(' ')

const createChangeVerbs = (shared: SharedJournal) => ({
  ...createOrderVerbs(shared),
  changed: async ({ words }: { readonly words: readonly string[] }) =>
    (await listChangedOrders(shared.journal.read, owner.account, words))
      .map(({ orderId, changedAt }) => `${orderId} at ${changedAt}`)
      .toSorted()
      .join(', '),
})

testScripts(
  journalKinds,
  `
  == more orders than one statement has parameters
  place o1; changed ${manyIds} o1 → o1 at 1100

  == orders of one account, and the newest of several with the same id
  place o1 elsewhere origin=https://elsewhere.example; changed o1; place o1 old; get o1 processing
  place o1 new → reused from old; changed o1 → o1 at 1100
  `,
  createChangeVerbs,
)
