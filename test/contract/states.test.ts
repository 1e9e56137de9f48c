// src/contract/states.ts
import { expect, test } from 'vitest'
import type { State } from '../../src/contract/state-words.ts'
import {
  hasRedeemData,
  isFinal,
  isKnownState,
  isPastPending,
  pendingState,
  states,
} from '../../src/contract/states.ts'

test('the states and their meanings are those of order-service.md 3', () => {
  const meanings = Object.entries(states).map(([state, { meaning }]) => `${state}: ${meaning}`)
  expect(meanings.sort()).toEqual([
    'confirmed: Order has been confirmed and is being processed.',
    'created: Order exists.',
    'failed: All requested products ran into an error while processing.',
    'partial: Some requested products ran into an error while processing.',
    'processing: Named only.',
    'rejected: Named only.',
    'successful: All requested products succeeded.',
  ])
})

/** Every state that can be reached from this one, however many steps it takes. */
const reachable = (from: State, seen = new Set<State>()): Set<State> => {
  for (const next of states[from].next) {
    if (seen.has(next)) continue
    seen.add(next)
    reachable(next, seen)
  }
  return seen
}

const known = Object.keys(states) as State[]

test('no state occurs twice', () => {
  expect(known.filter((state) => reachable(state).has(state))).toEqual([])
})

test('every state follows from the pending state, which only a confirm can leave', () => {
  expect([...reachable(pendingState)].sort()).toEqual(known.filter((state) => state !== pendingState).sort())
  expect(states[pendingState].next).toEqual(['confirmed'])
})

test('a state is final if no state follows it', () => {
  expect(known.filter(isFinal)).toEqual(known.filter((state) => states[state].next.length === 0))
  expect(known.filter(isFinal).sort()).toEqual(['failed', 'partial', 'rejected', 'successful'])
})

test('the states of order-service.md 2.4 have redeem data', () => {
  expect(known.filter(hasRedeemData).sort()).toEqual(['partial', 'successful'])
})

test('only documented states are past the pending state', () => {
  expect(known.filter(isPastPending)).toEqual(known.filter((state) => state !== pendingState))
  expect(isPastPending('pending')).toBe(false)
})

test.each(['on-hold', '', 'CREATED', '__proto__', 'constructor', 'toString'])(
  'an undocumented state is not known, not final and without redeem data: %j',
  (state) => {
    expect([isKnownState(state), isFinal(state), hasRedeemData(state)]).toEqual([false, false, false])
  },
)
