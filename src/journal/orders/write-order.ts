// Records what happened to an order. Each write locks the order, reads its row and calls, applies the fact, and writes what
// changed. Several processes may write at once.

import { Failure } from '../../errors.ts'
import type { Write, WriteAccess } from '../access.ts'
import { inOrder, updateRow } from '../database/database.ts'
import { calls, orders } from '../tables/orders.ts'
import { apply, type CallFact, type Fact } from './apply.ts'
import {
  type Call,
  type Entry,
  fromRow,
  type Known,
  type LockedEntry,
  listCalls,
  readLocked,
  type StartedCall,
} from './entries.ts'

/** Returns the order as it is then; undefined if the journal does not contain it. */
export const recordFact = async ({ write }: Write, number: number, fact: Fact): Promise<Known | undefined> =>
  (await write((access) => applyFact(access, number, fact, 'RETURNING *')))?.read()

/**
 * As recordFact, within the transaction of the caller. With `returning`, `read` gives the order after it, with what the
 * database computes.
 */
export const applyFact = async (
  access: WriteAccess,
  number: number,
  fact: Fact,
  returning?: 'RETURNING *',
): Promise<(Known & { readonly read: () => Known }) | undefined> => {
  const order = await lockOrder(access, number)
  if (order === undefined) return undefined
  const after = apply(order, fact, order.entry.databaseNow)
  return { ...after, read: writeOrder(access, order, after, returning) }
}

/** Throws if the journal does not contain the call that has ended. A payment that was seen is recorded all the same. */
export const recordEnd = async (
  access: WriteAccess,
  { order, call }: Pick<StartedCall, 'order' | 'call'>,
  fact: CallFact,
): Promise<void> => {
  const ended = await applyFact(access, order, fact)
  if (fact.kind === 'seen' || ended?.calls.some(({ number }) => number === call)) return
  throw new Failure('local-state', 'the journal lost the call while it was in progress', {
    fix: (suggest) => suggest`reconcile`,
    advice: 'The journal was probably restored from a backup. Check its orders.',
  })
}

type LockedOrder = Known & { readonly entry: LockedEntry }

/** Locks the order until the end of the transaction. */
export const lockOrder = async (access: WriteAccess, number: number): Promise<LockedOrder | undefined> => {
  const { entry, ...rest } = await inOrder({
    entry: readLocked(access, number),
    calls: listCalls(access, number),
  })
  return entry && { entry, ...rest }
}

/** Writes what differs. New calls are inserted by the caller. The returned function is `read` of applyFact. */
export const writeOrder = (
  access: WriteAccess,
  before: Known,
  after: Known,
  returning?: 'RETURNING *',
): (() => Known) => {
  const known = new Map(before.calls.map((call) => [call.number, call]))
  const { number } = before.entry
  // First: a trigger admits a move away from 'confirmed' only with the recorded decision.
  for (const call of after.calls) {
    const changes = findChanges(known.get(call.number) ?? call, call)
    if (hasFields(changes)) updateRow(access, calls, call.number, changes)
  }
  const fields = findChanges(before.entry, after.entry)
  const read = hasFields(fields) ? updateRow(access, orders, number, fields, returning) : undefined
  return () => {
    const row = read?.()
    return row === undefined ? after : { ...after, entry: fromRow<Entry>(row) }
  }
}

/** A damaged number is NaN, and stays as it is. */
const findChanges = <Row extends Entry | Call>(before: Row, after: Row): Partial<Row> => {
  const changes: Partial<Row> = {}
  for (const name of Object.keys(after) as (keyof Row)[])
    if (!Object.is(after[name], before[name])) changes[name] = after[name]
  return changes
}

const hasFields = (changes: object): boolean => Object.keys(changes).length > 0

/**
 * As recordFact, for a fact that mostly says nothing new about `order`, which was just read: then it takes no write lock,
 * and returns the same order.
 */
export const recordNews = async (journal: Write, order: Known, fact: Fact): Promise<Known> => {
  const { entry, calls } = apply(order, fact, fact.at)
  // That a standing was damaged, or changed by hand, is no reason to write.
  const { standing, changedAt, reservedAt } = order.entry
  const changes = findChanges(order.entry, { ...entry, standing, changedAt, reservedAt })
  if (!hasFields(changes) && calls.every((call, index) => call === order.calls[index])) return order
  return (await recordFact(journal, order.entry.number, fact)) ?? order
}

/** A person's decision about a confirm whose outcome cannot be proven. */
export type Decision = Omit<Extract<Fact, { readonly kind: 'decided' }>, 'kind'>

/** Records nothing if the order has changed, or before the end of its confirms. */
export const recordDecision = (
  { write }: Write,
  { number, standing, confirms }: Entry,
  decision: Decision,
  findEnd: (calls: readonly Call[], at: number) => number,
): Promise<
  { readonly kind: 'recorded' | 'changed' } | { readonly kind: 'in-flight'; readonly until: number }
> =>
  write(async (access) => {
    const { isSpent, at } = decision
    const order = await lockOrder(access, number)
    // The person has not seen a confirm that was begun meanwhile.
    if (order?.entry.standing !== standing || order.entry.confirms !== confirms) return { kind: 'changed' }
    const until = isSpent ? 0 : findEnd(order.calls, at)
    if (at < until) return { kind: 'in-flight', until }
    const decided = apply(order, { kind: 'decided', ...decision }, order.entry.databaseNow)
    writeOrder(access, order, decided)
    return { kind: decided.entry.standing === (isSpent ? 'confirmed' : 'void') ? 'recorded' : 'changed' }
  })

/** Records that reconcile has said that these decisions were wrong. */
export const recordReported = (
  { write }: Write,
  wrong: readonly { readonly entry: Entry }[],
): Promise<void> =>
  write(async ({ run }) => {
    const numbers = wrong.map(({ entry: { number } }) => number).join(', ')
    await run(`UPDATE orders SET decision = 'reported' WHERE number IN (${numbers}) AND decision = 'refuted'`)
  })
