// The states of order-service.md 3: their meanings, and what follows them. operations/view-table.txt has what is true of
// them.
import { expect, test } from 'vitest'
import { hasReached, states } from '../../src/contract/states.ts'
import { rowsOf } from '../support/rows.ts'

const final = 'rejected failed partial successful'

// The state, its meaning, the states that may come next, and the states that it has reached.
const table = rowsOf(`
  created | Order exists. | confirmed | created
  confirmed | Order has been confirmed and is being processed. | processing ${final} | created confirmed
  processing | Named only. | ${final} | created confirmed processing
  rejected | Named only. | | created confirmed processing rejected
  failed | All requested products ran into an error while processing. | | created confirmed processing failed
  partial | Some requested products ran into an error while processing. | | created confirmed processing partial
  successful | All requested products succeeded. | | created confirmed processing successful
`)

test.each(table)('%s: %s', (state = '', meaning, next = '', reached) => {
  expect(states[state as keyof typeof states]).toEqual({ meaning, next: next.split(' ').filter(Boolean) })
  expect(
    Object.keys(states)
      .filter((wanted) => hasReached(state, wanted))
      .join(' '),
  ).toBe(reached)
})
