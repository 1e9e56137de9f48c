// The states of order-service.md 3: their meanings, what follows them, and what is true of them.
import { expect, test } from 'vitest'
import {
  hasReached,
  hasRedeemData,
  isFinal,
  isKnownState,
  isPastPending,
  states,
} from '../../src/contract/states.ts'
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

test('these states are documented', () => {
  expect(Object.keys(states)).toEqual(table.map(([state]) => state))
})

test.each(table)('%s: %s', (state = '', meaning, next = '', reached) => {
  expect(states[state as keyof typeof states]).toEqual({ meaning, next: next.split(' ').filter(Boolean) })
  expect(
    Object.keys(states)
      .filter((wanted) => hasReached(state, wanted))
      .join(' '),
  ).toBe(reached)
  expect([isKnownState(state), isFinal(state)]).toEqual([true, next === ''])
  expect(isPastPending(state)).toBe(state !== 'created')
  // order-service.md 2.4
  expect(hasRedeemData(state)).toBe(['partial', 'successful'].includes(state))
})

test.each(['on-hold', 'pending', '', 'CREATED', '__proto__', 'constructor', 'toString'])(
  'nothing is true of an undocumented state: %j',
  (state) => {
    for (const isTrue of [isKnownState, isFinal, hasRedeemData, isPastPending])
      expect(isTrue(state)).toBe(false)
  },
)
