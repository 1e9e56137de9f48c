// Random facts in random order: a known payment is never lost, what an order counts as never falls, and nothing becomes
// void without a proof.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatProducts } from '../../../src/contract/order/ordered-products.ts'
import { apply, type Fact, findStanding } from '../../../src/journal/orders/apply.ts'
import { newCall } from '../../../src/journal/orders/calls.ts'
import type { Call, Known } from '../../../src/journal/orders/entries.ts'
import { isOpen, isUnproven, isUnprovenOrder } from '../../../src/journal/orders/standings.ts'
import { recordNews } from '../../../src/journal/orders/write-order.ts'
import { isAllRun, isFullRun } from '../../support/cases.ts'
import { checks } from '../order-desk.ts'

const create: Call = {
  ...newCall(1, { profile: 'shop', at: 1, until: 46_000 }, { operation: 'create' }),
  number: 1,
}

const placed: Known = {
  entry: {
    ...{ number: 1, account: 1, profile: 'shop', origin: 'https://orders.example', standing: 'creating' },
    ...{ reference: 'r', wallet: 'USD', state: 'creating', duplicate: 0, confirms: 0, referenceShown: 0 },
    ...{ placedAt: 1, changedAt: 1 },
  },
  calls: [create],
}

/** `back`: how many confirms ago the call, or the request whose response it is, was sent. */
type Step = readonly [kind: Fact['kind'], choice: number, back: number]

const kinds = [
  ...(['create-ended', 'confirm-begun', 'confirm-begun', 'confirm-ended', 'confirm-ended', 'seen'] as const),
  ...(['seen', 'lost', 'stranger', 'unwanted', 'checked', 'checked', 'decided'] as const),
]
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.tuple(fc.constantFrom(...kinds), fc.nat(11), fc.constantFrom(0, 0, 0, 1)),
  { minLength: 1, maxLength: 16 },
)

const pick = <Value>(choice: number, ...values: readonly Value[]): Value =>
  values[choice % values.length] as Value

const states = ['created', 'waiting', 'confirmed', 'processing', 'failed', 'successful'] as const

const toFact = ({ calls, entry }: Known, [kind, choice, back]: Step, at: number): Fact | undefined => {
  const { confirms } = entry
  const sent = calls.filter(({ operation }) => operation === 'confirm').at(-1 - back)
  switch (kind) {
    case 'create-ended': {
      const outcome = pick(choice, 'done', 'done', 'refused', 'not-sent', 'unknown')
      const orderId = pick(choice, 'o1', 'o2')
      if (outcome === 'done') return { kind, call: 1, at, outcome, orderId, total: '25', createdAt: at }
      return { kind, call: 1, at, outcome }
    }
    case 'confirm-begun': {
      if (entry.orderId === undefined || calls.some((each) => each.operation === 'confirm' && isOpen(each)))
        return undefined
      const accepted = pick(choice, undefined, undefined, '[]')
      const call = newCall(1, { profile: 'shop', at, until: at + 45_000, accepted }, { operation: 'confirm' })
      const total = pick(choice, '25', '25', '30')
      const counts = BigInt(total) * 1_000_000n
      return {
        kind,
        at,
        total,
        counts,
        wallet: 'USD',
        reservedAt: at,
        call: { ...call, number: confirms + 2 },
      }
    }
    case 'confirm-ended':
      if (sent === undefined) return undefined
      return { kind, call: sent.number, at, outcome: pick(choice, 'done', 'refused', 'not-sent', 'unknown') }
    case 'seen': {
      const state = pick(choice, ...states)
      return { kind, at, state, isPaid: states.indexOf(state) > 1, total: pick(choice, '25', '27', '20') }
    }
    case 'checked':
      return {
        ...{ kind, at, confirms: confirms - back, hasCodes: choice === 3, isOld: choice === 4 },
        state: pick(choice, 'created', 'created', 'waiting', undefined, 'processing'),
        serviceTime: pick(choice, at, at, at, at - 400_000, undefined),
      }
    case 'decided':
      return { kind, at, isSpent: choice % 2 === 0, by: 'ana', reason: 'asked' }
    default:
      return { kind, at }
  }
}

/** The kinds of facts that free a reference. The end of a confirm that was not sent returns a void order to void. */
const frees: readonly Fact['kind'][] = [
  ...(['create-ended', 'lost', 'stranger', 'unwanted', 'checked', 'decided', 'confirm-ended'] as const),
]

const isPayment = (fact: Fact): boolean =>
  (fact.kind === 'confirm-ended' && fact.outcome === 'done') || (fact.kind === 'seen' && fact.isPaid)

const play = (history: readonly Step[]): void => {
  let order = placed
  let isPaid = false
  let at = 1_000
  /** When a response first showed the order unconfirmed, after this many confirms. */
  let sight: { readonly confirms: number; readonly time: number } | undefined
  for (const step of history) {
    at += pick(step[1], 30_000, 9 * 3_600_000, 31_000)
    const fact = toFact(order, step, at)
    if (fact === undefined) continue
    const before = order
    order = apply(before, fact, at)
    const { entry, calls } = order
    const known = before.calls.find((each) => 'call' in fact && each.number === fact.call)
    const isNewPayment =
      isPayment(fact) && (known === undefined || isOpen(known) || known.settled !== undefined)
    isPaid ||= isNewPayment && entry.orderId !== undefined
    // Only a person's decision takes back a payment, if no get ever showed the reference.
    if (isPaid && entry.standing !== 'confirmed') {
      expect(fact).toMatchObject({ kind: 'decided', isSpent: false })
      expect(before.entry.referenceShown).toBe(0)
      isPaid = false
    }
    if (before.entry.standing !== 'void' && entry.standing === 'void') expect(frees).toContain(fact.kind)
    // A reason is never kept for later, and a void order keeps its reason.
    if (entry.voidReason !== undefined && entry.voidReason !== before.entry.voidReason)
      expect([before.entry.standing === 'void', entry.standing]).toEqual([false, 'void'])
    if (entry.standing === 'void' || entry.standing === 'pending')
      expect(calls.filter(isUnproven)).toEqual([])
    if (fact.kind === 'checked') {
      const { confirms, state, isOld, serviceTime } = fact
      const showsUnconfirmed = (state === 'created' || state === 'waiting') && !isOld
      const time = serviceTime ?? Number.NaN
      if (isUnprovenOrder(before.entry) && entry.standing === 'void') {
        expect(showsUnconfirmed).toBe(true)
        expect(sight?.confirms).toBe(confirms)
        expect(time - (sight?.time ?? Number.NaN)).toBeGreaterThanOrEqual(60_000)
      }
      if (before.entry.standing === 'pending' && fact.hasCodes) expect(entry.standing).toBe('pending')
      if (confirms !== before.entry.confirms) expect(entry.standing).toBe(before.entry.standing)
      else if (showsUnconfirmed && sight?.confirms !== confirms) sight = { confirms, time }
    }
    if (before.entry.orderId !== undefined) expect(entry.orderId).toBe(before.entry.orderId)
    else if (entry.orderId === undefined) expect(['creating', 'void']).toContain(entry.standing)
    if (entry.standing === 'doubtful') expect(entry.voidReason).toBeUndefined()
    const { reservedAt } = before.entry
    if (reservedAt !== undefined && entry.reservedAt !== undefined && fact.kind !== 'confirm-begun')
      expect(entry.reservedAt).toBe(reservedAt)
    // A decision is not about a confirm that was not sent.
    if (fact.kind === 'decided' && !fact.isSpent)
      for (const call of before.calls) if (call.outcome === 'not-sent') expect(calls).toContain(call)
    expect(entry.counts ?? -1n).toBeGreaterThanOrEqual(before.entry.counts ?? -1n)
    expect(entry.confirmedAt !== undefined).toBe(entry.standing === 'confirmed')
    expect(entry.reservedAt !== undefined).toBe(
      ['confirming', 'doubtful', 'confirmed'].includes(entry.standing),
    )
    // A saved outcome may be written twice.
    if (fact.kind === 'create-ended' || fact.kind === 'confirm-ended')
      expect(apply(order, fact, at).entry).toEqual(entry)
  }
}

test('a payment is never lost, and nothing is void without a proof', () => {
  const numRuns = isFullRun ? 40_000 : isAllRun ? 10_000 : 1_000
  fc.assert(fc.property(steps, play), { numRuns, seed: 53 })
})

test('a standing that cannot be read, and an unproven confirm whose row is missing, may have spent', () => {
  const pending: Known = { entry: { ...placed.entry, standing: 'pending', orderId: 'o1' }, calls: [create] }
  expect(findStanding(pending)).toBe('pending')
  // A reason that cannot be read does not free the reference.
  const unread = { ...pending.entry, voidReason: 'expired', damage: ['void_reason'] } as const
  expect(findStanding({ ...pending, entry: unread })).toBe('pending')
  const open: Call = { ...create, number: 2, operation: 'confirm', outcome: 'unknown' }
  const unreadable = { ...pending.entry, confirms: 1, damage: ['standing'] }
  const checked = checks(1).reduce<Known>((known, check) => apply(known, check, 2), {
    entry: unreadable,
    calls: [create, open],
  })
  expect(checked.calls).toEqual([create, open])
  // The payment of a confirm that is done is recorded with it, so this row was changed by hand.
  const done: Call = { ...create, number: 2, operation: 'confirm', outcome: 'done' }
  expect(findStanding({ entry: { ...pending.entry, confirms: 1 }, calls: [create, done] })).toBe('confirming')
  for (const damaged of [{ damage: ['standing'] }, { standing: 'doubtful', confirms: 1 }] as const) {
    const order = { ...pending, entry: { ...pending.entry, ...damaged } }
    expect(findStanding(order)).toBe('confirming')
    const { confirms } = order.entry
    const proven = checks(confirms).reduce<Known>((known, check) => apply(known, check, 2), order)
    expect(proven.entry.standing).toBe('confirming')
    expect(apply(order, { kind: 'seen', state: 'processing', isPaid: true, at: 2 }, 2).entry.standing).toBe(
      'confirmed',
    )
  }
})

test('a call that has ended keeps its outcome, and its end changes no other call', () => {
  const open: Call = { ...create, number: 2, operation: 'confirm' }
  const order: Known = { entry: { ...placed.entry, orderId: 'o1', confirms: 1 }, calls: [create, open] }
  const outcomesAfter = (...facts: readonly Fact[]) =>
    facts.reduce((known, fact) => apply(known, fact, 2), order).calls.map(({ outcome }) => outcome)
  const created: Fact = { kind: 'create-ended', call: 1, at: 2, outcome: 'refused' }
  expect(outcomesAfter(created)).toEqual(['refused', 'sending'])
  expect(outcomesAfter(created, { ...created, outcome: 'not-sent' })).toEqual(['refused', 'sending'])
})

test('a response from before the payment changes no product, and a higher charge is noted', () => {
  const products = formatProducts([{ sku: 'GAME-US', productType: 'range', quote: '25', ordered: 1 }])
  const paid: Fact = { kind: 'seen', state: 'processing', isPaid: true, total: '25', at: 2 }
  const order: Known = { entry: { ...placed.entry, orderId: 'o1', total: '25' }, calls: [create] }
  const confirmed = apply(order, paid, 2)
  const outdated = apply(confirmed, { ...paid, state: 'created', isPaid: false, products }, 2)
  expect(outdated.entry.products).toBeUndefined()
  expect(apply(confirmed, { ...paid, total: '27' }, 2).entry).toMatchObject({
    ...{ overcharged: 1, counts: 27_000_000n, charged: '27' },
  })
})

test('a response that says nothing new is not written, even if the standing was changed by hand', async () => {
  const write = async () => Promise.reject(new Error('written'))
  const seen: Fact = { kind: 'seen', state: 'created', isPaid: false, at: 2 }
  for (const standing of ['pending', 'doubtful', 'confirmed'] as const) {
    const facts = { standing, orderId: 'o1', total: '25', counts: 25_000_000n, referenceShown: 1 }
    const order: Known = { entry: { ...placed.entry, ...facts }, calls: [create] }
    expect(await recordNews({ write }, order, seen)).toBe(order)
    await expect(recordNews({ write }, order, { ...seen, state: 'waiting' })).rejects.toThrow('written')
  }
})
