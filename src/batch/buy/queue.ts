// The queue of a batch run: the state of each slot, and one table that decides what follows from the end of an attempt to buy
// a slot. It sends nothing, and reads no journal and no clock: buy-slots.ts runs it, and buy-slot.ts makes the attempts.

import { type Decimal, zero } from '../../contract/money/decimal.ts'
import type { Failure } from '../../errors.ts'
import type { StopReason } from '../../journal/batches/batches.ts'
import type { SlotQuery } from '../../journal/batches/slots.ts'
import { findCause } from '../../operations/failures.ts'

/** The activity of an attempt: it sends requests, waits for the outcome of a confirm, or waits for the cards. */
export type Stage = 'calling' | 'settling' | 'waiting'

/**
 * Why a slot is parked. `retry`: an attempt failed, and is repeated when its time comes. A search finds the others again
 * after `until`. `elsewhere`: a different run has it. `unproven`: a confirm may have spent. `unread`: the order is confirmed,
 * but cannot be read.
 */
type Parking = 'retry' | 'elsewhere' | 'unproven' | 'unread'

/** `ready`: found, and claimed by no run. `done`: this run has given it up. A slot that is bought leaves the queue. */
type SlotState = { readonly is: 'ready' | Stage | 'done' } | { readonly is: Parking; readonly until: number }

type Row = readonly [
  /** `bought` and `left` leave the queue. */
  slot: Parking | 'done' | 'bought' | 'left',
  /** How long it is parked. A retry waits longer each time. */
  ms: number,
  counts: '' | 'success' | 'failure' | 'outage' | 'unknown',
  /** `stop`: with the failure. `stop-rows`: the next run would end in the same way, because the rows are wrong. */
  run: '' | 'jump' | 'stop' | 'stop-rows' | 'cancelled' | StopReason,
]

const atTheEnd = Number.POSITIVE_INFINITY

/** How an attempt ends, and what follows. An end is a failure's reason or kind, or has a name that only batches use. */
// biome-ignore format: one row a line
const slotEnds = {
  //                     the slot     for ms     counts as  the run
  bought:               ['bought',    0,         'success', ''],
  interrupted:          ['left',      0,         '',        ''],
  terminated:           ['left',      0,         '',        ''],
  'slot-taken':         ['elsewhere', 1_000,     '',        'jump'],
  elsewhere:            ['elsewhere', 10_000,    '',        ''],
  // The order is already confirmed, or a different one has its reference.
  duplicate:            ['retry',     1_000,     '',        ''],
  // The pace has recorded the failure, and waits longer each time.
  unavailable:          ['retry',     0,         'outage',  ''],
  busy:                 ['retry',     0,         'failure', ''],
  refused:              ['retry',     5_000,     'failure', ''],
  expired:              ['retry',     5_000,     'failure', ''],
  'expires-soon':       ['retry',     10_000,    'failure', ''],
  unknown:              ['unproven',  30_000,    'unknown', ''],
  'still-unknown':      ['unproven',  30_000,    '',        ''],
  unread:               ['unread',    atTheEnd,  '',        ''],
  // The order is confirmed, but takes too long. A different run collects its cards.
  slow:                 ['done',      0,         '',        ''],
  'over-cap':           ['left',      0,         '',        'cap'],
  'over-budget':        ['left',      0,         '',        'budget'],
  'not-approved':       ['left',      0,         '',        'approval'],
  'insufficient-funds': ['left',      0,         '',        'funds'],
  overcharged:          ['left',      0,         '',        'charge'],
  'batch-cancelled':    ['left',      0,         '',        'cancelled'],
  'wrong-rows':         ['left',      0,         '',        'stop-rows'],
  error:                ['left',      0,         '',        'stop'],
} satisfies Readonly<Record<string, Row>>

export type EndKind = keyof typeof slotEnds

export type SlotEnd = { readonly kind: EndKind; readonly failure?: Failure }

/** How an attempt ends after a failed step. */
export const judgeFailure = (failure: Failure, isInterrupted: boolean): EndKind => {
  const { reason, kind, details } = failure
  const { openCall, refused } = findCause(failure)
  // A different run has taken the order, because this run was slow.
  if (openCall !== undefined) return 'slot-taken'
  if (kind === 'unknown' && isInterrupted) return 'interrupted'
  // A limit of the database role.
  if (details.role !== undefined) return 'error'
  if (kind === 'refused' && reason !== 'insufficient-funds' && refused !== undefined) {
    const { status } = refused.outcome
    if (status === 429 || status === 503) return 'busy'
    // Other orders may work. A create that the service refused concerns the account or orderctl itself.
    return refused.operation === 'create' ? 'error' : 'refused'
  }
  const words: readonly string[] = [reason, kind]
  return words.find((word): word is EndKind => Object.hasOwn(slotEnds, word)) ?? 'error'
}

/** Why a run waits, for example because the service is down. `since` is in milliseconds since the UNIX epoch. */
export type Trouble = { readonly reason: string; readonly since: number }

export type BatchEnd =
  /** No slot is left that this run can buy, or a failure ended it. */
  | { readonly kind: 'ended'; readonly failure?: Failure | undefined; readonly needsNewRows?: true }
  | {
      readonly kind: 'stopped'
      readonly reason: StopReason | 'cancelled'
      /** Why the next order is not allowed. */
      readonly failure?: Failure | undefined
    }
  | { readonly kind: 'interrupted' }

export type BatchQueue = ReturnType<typeof createQueue>

/** Plain data. Times are by the monotonic clock. `lastSlot`: the highest number of a slot. */
export const createQueue = (lastSlot: number) => ({
  lastSlot,
  /** The slots that this run knows. Of those that are ready, and of those that are parked, the first comes first. */
  slots: new Map<number, SlotState>(),
  /** The numbers of the orders that belong to this run, by slot. */
  own: new Map<number, number>(),
  failures: new Map<number, number>(),
  /** How often a slot was unproven. */
  doubts: new Map<number, number>(),
  hasTriedLast: false,
  /** The service's message by product, for products that it refused in this run when they were ordered alone. */
  refused: new Map<string, string>(),

  isSearching: false,
  /** The number of the slot where the next search starts. */
  searchFrom: 0,
  searchDueAt: Number.NEGATIVE_INFINITY,

  failuresInARow: 0,
  failedAt: Number.NEGATIVE_INFINITY,
  unknownInARow: 0,

  /** How many orders may wait for their cards. */
  deliveryLimit: 16,
  deliveredInARow: 0,

  /** Whether the service has created an order of the batch, in this run or an earlier one. */
  hasOrder: false,
  /** Orders that this process confirmed, and their totals. */
  confirmed: 0,
  spent: zero,
  /** The ids of orders that this process, or an earlier one, may have confirmed. */
  unknown: new Set<string>(),
  trouble: undefined as Trouble | undefined,
  /** Why this run gave up its first slot. */
  problem: undefined as Failure | undefined,
  end: undefined as BatchEnd | undefined,
})

type StateName = SlotState['is']

export const listSlots = ({ slots }: BatchQueue, ...names: readonly StateName[]): number[] => {
  const found: number[] = []
  for (const [slot, { is }] of slots) if (names.includes(is)) found.push(slot)
  return found
}

type Counts = Readonly<Record<StateName, number>>

const countSlots = ({ slots }: BatchQueue): Counts => {
  const none = { ready: 0, calling: 0, settling: 0, waiting: 0, done: 0 }
  const counts = { ...none, retry: 0, elsewhere: 0, unproven: 0, unread: 0 }
  for (const { is } of slots.values()) counts[is] += 1
  return counts
}

/** Nothing is in progress, and this run knows no slot to try. */
const isIdle = ({ ready, calling, settling, waiting, retry }: Counts): boolean =>
  ready + calling + settling + waiting + retry === 0

const longestWaitMs = 1_000

type Move =
  | { readonly do: 'buy'; readonly slot: number }
  | { readonly do: 'wait'; readonly ms: number }
  /** The queue is idle. */
  | { readonly do: 'search' }
  | { readonly do: 'end' }

/** `parallel`: how many orders may have a call in flight. */
export const chooseMove = (queue: BatchQueue, now: number, parallel: number): Move => {
  if (queue.end !== undefined) return { do: 'end' }
  const counts = countSlots(queue)
  if (isIdle(counts) && !queue.isSearching) return { do: 'search' }
  let due: number | undefined
  let ready: number | undefined
  let ms = longestWaitMs
  for (const [slot, state] of queue.slots) {
    if (state.is === 'ready') ready ??= slot
    if (state.is !== 'retry') continue
    if (state.until <= now) due ??= slot
    else ms = Math.min(ms, state.until - now)
  }
  // A parked slot goes first, because its order may expire.
  const slot = due ?? ready
  return slot !== undefined && mayStart(queue, counts, parallel) ? { do: 'buy', slot } : { do: 'wait', ms }
}

/** While so many confirms have no response, no other order is started. */
const maxSettling = 8

/**
 * `parallel` limits the orders with a call in flight. Orders that wait for their cards have a separate limit. Until the
 * service has created an order, one is tried at a time: a refusal may mean that all rows are wrong.
 */
const mayStart = (
  { hasOrder, deliveryLimit }: BatchQueue,
  { calling, settling, waiting }: Counts,
  parallel: number,
): boolean =>
  (hasOrder || calling + settling + waiting === 0) &&
  calling < parallel &&
  settling < maxSettling &&
  calling + waiting < deliveryLimit

/** An attempt begins by calling. */
export const enterStage = ({ slots }: BatchQueue, slot: number, stage: Stage): void => {
  slots.set(slot, { is: stage })
}

export const countConfirmed = (queue: BatchQueue, total: Decimal): void => {
  queue.confirmed += 1
  queue.spent = queue.spent.plus(total)
  queue.failuresInARow = 0
  queue.unknownInARow = 0
}

const mostWaiting = 500

/**
 * Twice as many orders may wait when as many have become successful, and half as many after an order that failed: a service
 * that fails every order is noticed before many are bought.
 */
export const recordResult = (queue: BatchQueue, isSuccess: boolean): void => {
  queue.deliveredInARow = isSuccess ? queue.deliveredInARow + 1 : 0
  if (!isSuccess) queue.deliveryLimit = Math.max(1, Math.floor(queue.deliveryLimit / 2))
  if (queue.deliveredInARow < queue.deliveryLimit) return
  queue.deliveryLimit = Math.min(queue.deliveryLimit * 2, mostWaiting)
  queue.deliveredInARow = 0
}

/** Without a failure, clears the trouble: the run no longer waits. */
export const recordTrouble = (queue: BatchQueue, failure: Failure | undefined, at: number): void => {
  queue.trouble = failure && { reason: failure.message, since: queue.trouble?.since ?? at }
}

/** Consecutive failures before this run gives up: of one slot, or of all slots without a confirmed order. */
const maxFailures = 12
/** A service without a usable response to confirm must not get all orders of the batch. */
const maxUnknown = 8
/** An attempt can take longer than its slot was parked, so it is repeated only a few times before the end of the run. */
const maxDoubts = 3

type Moment = {
  readonly startedAt: number
  readonly now: number
  /** In milliseconds since the UNIX epoch. */
  readonly at: number
  /** At least 0 and less than 1. */
  readonly random: () => number
}

/** Takes the slot to its next state when its attempt has ended. */
export const applyEnd = (
  queue: BatchQueue,
  slot: number,
  { kind, failure }: SlotEnd,
  moment: Moment,
): void => {
  const { startedAt, now, at, random } = moment
  const [becomes, ms, counts, run]: Row = slotEnds[kind]
  if (counts === 'success') {
    queue.failuresInARow = 0
    queue.trouble = undefined
  }
  if (counts === 'outage') recordTrouble(queue, failure, at)
  // Attempts that were in progress at the last failure fail for the same reason.
  if ((counts === 'failure' || counts === 'outage') && startedAt >= queue.failedAt) {
    queue.failedAt = now
    queue.failuresInARow += 1
  }
  if (counts === 'unknown') queue.unknownInARow += 1
  if (queue.failuresInARow >= maxFailures || queue.unknownInARow >= maxUnknown)
    queue.end ??= { kind: 'ended', failure }

  queue.slots.delete(slot)
  if (becomes === 'bought' || becomes === 'elsewhere') queue.own.delete(slot)
  if (becomes !== 'bought' && becomes !== 'left') {
    const state = findNextState(queue, slot, { becomes, ms, now })
    queue.slots.set(slot, state)
    if (setAside.includes(state.is)) queue.problem ??= failure
  }

  if (run === 'jump') {
    // The next slots are probably taken, too.
    for (const ready of listSlots(queue, 'ready')) queue.slots.delete(ready)
    queue.searchFrom = 1 + Math.floor(random() * queue.lastSlot)
  } else if (run === 'stop') queue.end ??= { kind: 'ended', failure }
  else if (run === 'stop-rows') queue.end ??= { kind: 'ended', failure, needsNewRows: true }
  else if (run !== '') queue.end ??= { kind: 'stopped', reason: run, failure }
}

const findNextState = (
  { failures, doubts }: BatchQueue,
  slot: number,
  { becomes, ms, now }: { readonly becomes: Parking | 'done'; readonly ms: number; readonly now: number },
): SlotState => {
  if (becomes === 'done') return { is: 'done' }
  const park = (until: number): SlotState => ({ is: becomes, until })
  if (becomes === 'retry') {
    const count = (failures.get(slot) ?? 0) + 1
    failures.set(slot, count)
    return count < maxFailures ? park(now + Math.max(ms, Math.min(200 * 2 ** count, 10_000))) : { is: 'done' }
  }
  if (becomes !== 'unproven') return park(now + ms)
  const count = (doubts.get(slot) ?? 0) + 1
  doubts.set(slot, count)
  return park(count > maxDoubts ? atTheEnd : now + ms)
}

/** This run does nothing more with these slots, unless everything else is done. */
const setAside: readonly StateName[] = ['unproven', 'unread', 'done']

export const listSetAside = (queue: BatchQueue): number[] => listSlots(queue, ...setAside)

/** One last try of the slots whose order may be paid, now that nothing else is left to do. */
export const tryLast = (queue: BatchQueue): void => {
  queue.hasTriedLast = true
  for (const slot of listSlots(queue, 'unproven', 'unread')) queue.slots.delete(slot)
}

/** After a search that found too few slots. */
const searchAgainMs = 1_000
/** How many slots a search returns at least. Other runs may take them first. */
const fewestFound = 32
const slotsPerOrder = 2

/** Whether to search now, so that no order waits for it later. */
export const needsSlots = (queue: BatchQueue, now: number, parallel: number): boolean => {
  if (queue.end !== undefined || queue.isSearching || now < queue.searchDueAt) return false
  const counts = countSlots(queue)
  return counts.ready < parallel && !isIdle(counts)
}

type SearchInput = Pick<SlotQuery, 'leavesOut'> & { readonly now: number; readonly parallel: number }

export const beginSearch = (queue: BatchQueue, { leavesOut, now, parallel }: SearchInput): SlotQuery => {
  queue.isSearching = true
  for (const [slot, state] of queue.slots)
    if ('until' in state && state.is !== 'retry' && state.until <= now) queue.slots.delete(slot)
  const count = leavesOut === 'held' ? mostWaiting : Math.max(fewestFound, parallel * slotsPerOrder)
  return { leavesOut, count, from: queue.searchFrom, except: queue.slots.keys().toArray() }
}

export const endSearch = (
  queue: BatchQueue,
  { count, from }: SlotQuery,
  found: readonly number[],
  now: number,
): void => {
  queue.isSearching = false
  for (const slot of found) queue.slots.set(slot, { is: 'ready' })
  if (found.length >= count) return
  queue.searchFrom = 0
  if (from === 0) queue.searchDueAt = now + searchAgainMs
}
