// The queue of a batch run: what follows from each end of an attempt, and which slots random runs start.
import { expect, test } from 'vitest'
import {
  applyEnd,
  type BatchQueue,
  beginSearch,
  chooseMove,
  countConfirmed,
  createQueue,
  type EndKind,
  endSearch,
  enterStage,
  judgeFailure,
  listSetAside,
  listSlots,
  needsSlots,
  recordResult,
  recordTrouble,
  type Stage,
  tryLast,
} from '../../../src/batch/buy/queue.ts'
import { zero } from '../../../src/contract/money/decimal.ts'
import { Failure, type FailureReason } from '../../../src/errors.ts'
import { OrderFailure } from '../../../src/operations/failures.ts'
import { createRandom } from '../../../src/service/cards.ts'

const failure = new Failure('unavailable', 'no response')
const lastSlot = 40
const epoch = 1_700_000_000_000

const endAt = (queue: BatchQueue, slot: number, kind: EndKind, now: number, startedAt = now): void =>
  applyEnd(queue, slot, { kind, failure }, { startedAt, now, at: epoch + now, random: () => 0.5 })

const open = (...found: readonly number[]): BatchQueue => {
  const queue = createQueue(lastSlot)
  queue.hasOrder = true
  endSearch(queue, beginSearch(queue, { leavesOut: 'held', now: 0, parallel: 4 }), found, 0)
  return queue
}

/** Without an effect on the queue. */
const mayFind = (queue: BatchQueue, slot: number, now: number): boolean => {
  const copy = { ...queue, slots: new Map(queue.slots) }
  return ![...(beginSearch(copy, { leavesOut: 'all', now, parallel: 4 }).except ?? [])].includes(slot)
}

/** After how many seconds slot 1 is tried again, and whether only if a search finds it. */
const findNextTry = (queue: BatchQueue, from: number) => {
  if (mayFind(queue, 1, from)) return 'leaves'
  for (let now = from; now < from + 60_000; now += 100) {
    const seconds = (now - from) / 1_000
    const move = chooseMove({ ...queue, end: undefined }, now, 4)
    if (move.do === 'buy' && move.slot === 1) return seconds
    if (mayFind(queue, 1, now)) return `found ${seconds}`
  }
  const last = { ...queue, slots: new Map(queue.slots) }
  tryLast(last)
  return last.slots.has(1) ? 'never' : 'at the end'
}

/** Slot 1 ends in this way again and again, while slot 2 waits for its cards. */
const followSlot = (kind: EndKind): string => {
  const queue = open(1, 2)
  enterStage(queue, 2, 'waiting')
  const tries: (string | number)[] = []
  let now = 0
  while (tries.length < 13 && !['leaves', 'never', 'at the end'].includes(`${tries.at(-1)}`)) {
    enterStage(queue, 1, 'calling')
    endAt(queue, 1, kind, now)
    tries.push(findNextTry(queue, now))
    now += 60_000
  }
  return tries.join(' ').replace(/^(found \d+)( \1){12}$/, '$1, without an end')
}

/** Slots end in this way, one after the other, while slot 40 is ready. */
const followRun = (kind: EndKind): string => {
  const queue = open(lastSlot)
  queue.trouble = { reason: 'before', since: epoch }
  let count = 0
  while (count < 20 && queue.end === undefined) {
    count += 1
    enterStage(queue, count, 'calling')
    queue.own.set(count, count)
    endAt(queue, count, kind, count)
  }
  const { end, own, problem, trouble, searchFrom, slots } = queue
  const how = end?.kind === 'stopped' ? end.reason : end?.kind
  const facts = [
    end === undefined ? 'goes on' : `${how} after ${count}`,
    end?.kind === 'ended' && end.needsNewRows && 'needs new rows',
    own.size === 0 && 'order free',
    problem !== undefined && 'problem',
    trouble === undefined ? 'no trouble' : trouble.reason === 'no response' && 'trouble',
    !slots.has(lastSlot) && `searches from ${searchFrom}`,
  ]
  return facts.filter(Boolean).join(', ')
}

/** When the slot is tried again, in seconds, and what its run does. */
const wanted: Readonly<Record<EndKind, readonly [slot: string, run: string]>> = {
  bought: ['leaves', 'goes on, order free, no trouble'],
  interrupted: ['leaves', 'goes on'],
  terminated: ['leaves', 'goes on'],
  'slot-taken': ['found 1, without an end', 'goes on, order free, searches from 21'],
  elsewhere: ['found 10, without an end', 'goes on, order free'],
  duplicate: ['1 1 1.6 3.2 6.4 10 10 10 10 10 10 never', 'goes on'],
  unavailable: ['0.4 0.8 1.6 3.2 6.4 10 10 10 10 10 10 never', 'ended after 12, trouble'],
  busy: ['0.4 0.8 1.6 3.2 6.4 10 10 10 10 10 10 never', 'ended after 12'],
  refused: ['5 5 5 5 6.4 10 10 10 10 10 10 never', 'ended after 12'],
  expired: ['5 5 5 5 6.4 10 10 10 10 10 10 never', 'ended after 12'],
  'expires-soon': ['10 10 10 10 10 10 10 10 10 10 10 never', 'ended after 12'],
  unknown: ['found 30 found 30 found 30 at the end', 'ended after 8, problem'],
  'still-unknown': ['found 30 found 30 found 30 at the end', 'goes on, problem'],
  unread: ['at the end', 'goes on, problem'],
  slow: ['never', 'goes on, problem'],
  'over-cap': ['leaves', 'cap after 1'],
  'over-budget': ['leaves', 'budget after 1'],
  'not-approved': ['leaves', 'approval after 1'],
  'insufficient-funds': ['leaves', 'funds after 1'],
  overcharged: ['leaves', 'charge after 1'],
  'batch-cancelled': ['leaves', 'cancelled after 1'],
  'wrong-rows': ['leaves', 'ended after 1, needs new rows'],
  error: ['leaves', 'ended after 1'],
}

test.each(Object.entries(wanted) as [EndKind, readonly [string, string]][])(
  'an attempt that ends as %s',
  (kind, facts) => {
    expect([followSlot(kind), followRun(kind)]).toEqual(facts)
  },
)

test.each<[FailureReason, EndKind]>([
  ['over-cap', 'over-cap'],
  ['over-budget', 'over-budget'],
  ['needs-approval', 'not-approved'],
  ['batch-cancelled', 'batch-cancelled'],
  ['batch-changed', 'refused'],
  ['reference-used', 'duplicate'],
  ['unreachable', 'unavailable'],
  ['unproven', 'unknown'],
])('the failure %s ends its attempt as %s', (reason, kind) => {
  expect(judgeFailure(new Failure(reason, ''), false)).toBe(kind)
})

test('a batch lets a different run, a limit of its role and an interruption end an attempt', () => {
  const interrupted = judgeFailure(new Failure('unproven', ''), true)
  const ofRole = judgeFailure(new Failure('over-budget', '', { role: 'ben' }), false)
  const openCall = { operation: 'create' } as never
  const elsewhere = judgeFailure(new OrderFailure({ openCall }, 'unproven', ''), true)
  expect([interrupted, ofRole, elsewhere]).toEqual(['interrupted', 'error', 'slot-taken'])
})

test.each<[operation: 'create' | 'confirm', status: number, reason: FailureReason, EndKind]>([
  ['create', 400, 'out-of-stock', 'error'],
  ['confirm', 400, 'refused', 'refused'],
  ['create', 429, 'refused', 'busy'],
  ['confirm', 503, 'refused', 'busy'],
  ['create', 400, 'insufficient-funds', 'insufficient-funds'],
  ['confirm', 419, 'expired', 'expired'],
])(
  'a %s that the service refused with %i as %s ends its attempt as %s',
  (operation, status, reason, kind) => {
    const refused = { operation, outcome: { status } as never }
    expect(judgeFailure(new OrderFailure({ refused }, reason, ''), false)).toBe(kind)
  },
)

test('an order that is confirmed or bought between failures lets the run go on, and the first stop counts', () => {
  const queue = open()
  for (let slot = 1; slot <= 30; slot += 1) {
    if (slot % 7 === 0) countConfirmed(queue, zero)
    endAt(queue, slot, slot % 2 === 0 ? 'unknown' : 'refused', slot)
  }
  for (let slot = 31; slot <= 60; slot += 1) endAt(queue, slot, slot % 7 === 0 ? 'bought' : 'refused', slot)
  expect(queue.end).toBeUndefined()
  endAt(queue, 61, 'over-cap', 61)
  endAt(queue, 62, 'overcharged', 62)
  expect(queue.end).toMatchObject({ kind: 'stopped', reason: 'cap' })
})

test('one search at a time fills the queue, and another a second after it found too few slots', () => {
  const queue = open(1, 2)
  const isNeeded = (now: number, parallel = 4): boolean => needsSlots(queue, now, parallel)
  expect([isNeeded(999), isNeeded(1_000)]).toEqual([false, true])
  const query = beginSearch(queue, { leavesOut: 'all', now: 1_000, parallel: 4 })
  expect(isNeeded(1_000)).toBe(false)
  endSearch(queue, query, [3, 4], 1_200)
  expect([isNeeded(2_200), isNeeded(2_199, 5), isNeeded(2_200, 5)]).toEqual([false, false, true])
})

test('attempts that were in progress at the last failure are no further failures', () => {
  const queue = open()
  for (let slot = 1; slot <= 20; slot += 1) endAt(queue, slot, 'unavailable', 10 + slot, 10)
  expect([queue.failuresInARow, queue.end]).toEqual([1, undefined])
})

test('a trouble began with its first failure', () => {
  const queue = open()
  endAt(queue, 1, 'unavailable', 5)
  recordTrouble(queue, new Failure('unavailable', 'connection refused'), epoch + 9)
  expect(queue.trouble).toEqual({ reason: 'connection refused', since: epoch + 5 })
  recordTrouble(queue, undefined, epoch + 10)
  expect(queue.trouble).toBeUndefined()
})

test('as many orders may wait as became successful, up to 500; a failed order halves them', () => {
  const queue = createQueue(1)
  const record = (count: number, isSuccess: boolean): number => {
    for (let order = 0; order < count; order += 1) recordResult(queue, isSuccess)
    return queue.deliveryLimit
  }
  expect([record(15, true), record(1, true), record(31, true), record(1, true)]).toEqual([16, 32, 32, 64])
  expect([record(1_000, true), record(1, false), record(249, true), record(1, false)]).toEqual([
    500, 250, 250, 125,
  ])
  expect(record(9, false)).toBe(1)
})

/** Of each ten ends. The others are bought. */
const someEnds: readonly EndKind[] = [
  'unavailable',
  'refused',
  'slot-taken',
  'unknown',
  'unread',
  'elsewhere',
]

/** A run of 40 slots with random stages, ends and times. Returns the rules that it breaks. */
const playRun = (seed: number): string[] => {
  const random = createRandom(`queue ${seed}`)
  const below = (count: number): number => Math.floor(random() * count)
  const queue = createQueue(lastSlot)
  const open = new Set(Array.from({ length: lastSlot }, (_, index) => index + 1))
  const inProgress = new Map<number, { stage: Stage; startedAt: number }>()
  const parallel = 1 + below(12)
  /** In some runs, most attempts wait for the outcomes of their confirms. */
  const isSettling = random() < 0.5
  const wrong: string[] = []
  let now = 0
  let results = 0
  let lastTries = 0

  const search = (leavesOut: 'all' | 'none'): number => {
    const kept = [...inProgress.keys(), ...listSlots(queue, 'ready', 'retry', 'done')]
    const query = beginSearch(queue, { leavesOut, now, parallel })
    const { count, from = 0 } = query
    const except = new Set(query.except)
    if (kept.some((slot) => !except.has(slot))) wrong.push('finds a slot that the queue has')
    const found = [...open].filter((slot) => !except.has(slot) && slot >= from).slice(0, count)
    endSearch(queue, query, found, now)
    return found.length
  }
  const count = (...stages: readonly Stage[]): number =>
    [...inProgress.values()].filter(({ stage }) => stages.includes(stage)).length
  const buy = (slot: number): void => {
    const { slots, hasOrder, deliveryLimit } = queue
    const state = slots.get(slot)
    const isDue = [...slots.values()].some((each) => each.is === 'retry' && each.until <= now)
    if (inProgress.has(slot)) wrong.push('starts a slot in progress')
    if (isDue && state?.is !== 'retry') wrong.push('keeps a parked slot waiting')
    if (state?.is === 'retry' && state.until > now) wrong.push('starts a parked slot')
    if (!hasOrder && inProgress.size > 0) wrong.push('starts two slots before the first order')
    if (count('calling') >= parallel) wrong.push('exceeds --parallel')
    if (count('settling') >= 8) wrong.push('starts a slot while 8 settle')
    if (count('calling', 'waiting') >= deliveryLimit) wrong.push('exceeds the limit of deliveries')
    inProgress.set(slot, { stage: 'calling', startedAt: now })
    enterStage(queue, slot, 'calling')
  }
  const advance = (slot: number): void => {
    const attempt = inProgress.get(slot) as { stage: Stage; startedAt: number }
    if (random() < (isSettling ? 0.8 : 0.4)) {
      queue.hasOrder = true
      attempt.stage = isSettling
        ? 'settling'
        : ((['settling', 'calling', 'waiting'] as const)[below(3)] as Stage)
      enterStage(queue, slot, attempt.stage)
      return
    }
    inProgress.delete(slot)
    const kind = random() < 0.005 ? 'over-cap' : (someEnds[below(10)] ?? 'bought')
    if (kind === 'bought') {
      countConfirmed(queue, zero)
      recordResult(queue, results++ % 5 !== 0)
      open.delete(slot)
    }
    if (kind === 'elsewhere' && random() < 0.5) open.delete(slot)
    endAt(queue, slot, kind, now, attempt.startedAt)
  }

  for (let step = 0; step < 10_000 && wrong.length === 0; step += 1) {
    if (needsSlots(queue, now, parallel)) search('all')
    const move = chooseMove(queue, now, parallel)
    if (move.do === 'end') return wrong
    if (queue.end !== undefined) wrong.push('goes on after its end')
    if (move.do === 'buy') buy(move.slot)
    if (move.do === 'wait') {
      const due = [...queue.slots.values()].flatMap((state) =>
        state.is === 'retry' && state.until > now ? [state.until - now] : [],
      )
      if (!(move.ms > 0 && move.ms <= Math.min(1_000, ...due))) wrong.push(`waits ${move.ms} ms`)
      if (inProgress.size === 0 || random() < 0.3) now += move.ms
      else advance([...inProgress.keys()][below(inProgress.size)] as number)
    }
    if (move.do !== 'search') continue
    if (inProgress.size > 0) wrong.push('is idle with a slot in progress')
    const aside = listSetAside(queue)
    if (search('none') > 0) continue
    if ([...open].some((slot) => !aside.includes(slot))) now += 1_000
    else if (queue.hasTriedLast || listSlots(queue, 'unproven', 'unread').length === 0) return wrong
    else if (lastTries++ === 0) tryLast(queue)
    else wrong.push('has two last tries')
  }
  return [...wrong, 'never ends']
}

test('random runs start each slot within the limits, and end when all slots are bought or set aside', () => {
  for (let seed = 1; seed <= 100; seed += 1) expect(playRun(seed), `seed ${seed}`).toEqual([])
})
