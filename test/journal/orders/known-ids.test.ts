// Which ids are those of the account's orders.
import { findKnownIds } from '../../../src/journal/orders/list-orders.ts'
import { journalKinds, type SharedJournal } from '../journals.ts'
import { owner } from '../order-desk.ts'
import { createOrderVerbs, testScripts } from '../script.ts'

const manyIds = Array.from({ length: 450 }, (_, index) => `x${index}`).join(' ')

const createIdVerbs = (shared: SharedJournal) => ({
  ...createOrderVerbs(shared),
  known: async ({ words }: { readonly words: readonly string[] }) =>
    (await findKnownIds(shared.journal.read, owner.account, words)).toSorted().join(' '),
})

testScripts(
  journalKinds,
  `
  == more ids than one statement has parameters
  place o1; known ${manyIds} o1 → o1

  == ids of one account, each once
  place o1 elsewhere origin=https://elsewhere.example; known o1; place o1 old; get o1 processing
  place o1 new → reused from old; known o1 → o1
  `,
  createIdVerbs,
)
