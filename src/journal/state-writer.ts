// Sets the state of an order and settles its calls, inside the caller's transaction.
import { hasReached, hasRedeemData, isFinal, isKnownState, isPastPending } from '../contract/states.ts'
import type { Statements } from './database/database.ts'
import { type Call, type Entry, isUnproven, journalOnlyStates, type Settlement } from './entry.ts'
import type { Queries } from './queries.ts'
import { unprovenCondition } from './schema.ts'
import { createEarlierStates } from './states/earlier-states.ts'

/** What an answer says about an order. */
export type OrderUpdate = {
  readonly state: string
  /** The total of its invoice. */
  readonly total?: string
  /** See formatProducts. */
  readonly products?: string | undefined
  readonly at: number
}

export const createStateWriter = (statements: Statements, queries: Pick<Queries, 'listCalls'>) => {
  const { run, dialect } = statements
  const earlier = createEarlierStates(statements)
  /** Does nothing if the order is known to be confirmed. */
  const setState = async (order: number, state: string, at: number): Promise<void> =>
    void (await run(
      `UPDATE orders SET standing = $state, changed_at = $at
       WHERE number = $order AND confirmed_at IS NULL`,
      { order, state, at },
    ))

  /** An order that was confirmed elsewhere counts against the budgets from now on. */
  const setConfirmed = async (order: number, state: string, at: number): Promise<void> =>
    void (await run(
      `UPDATE orders SET standing = $state, changed_at = $at, confirmed_at = coalesce(confirmed_at, $at),
         reserved_at = coalesce(reserved_at, ${dialect.now})
       WHERE number = $order`,
      { order, state, at },
    ))

  const settleOpenCalls = async (
    order: number,
    settled: Settlement,
    at: number,
    { by, reason }: { by?: string; reason?: string } = {},
  ): Promise<void> =>
    void (await run(
      `UPDATE calls SET settled = $settled, settled_at = $at, settled_by = $by, reason = $reason
       WHERE order_number = $order AND outcome IN ('sending', 'unknown', 'refused') AND settled IS NULL`,
      { settled, at, by: by ?? null, reason: reason ?? null, order },
    ))

  const listUnproven = async (order: number): Promise<Call[]> =>
    (await queries.listCalls(order)).filter(isUnproven)

  const recordConfirmed = async (entry: Entry, { state, at }: OrderUpdate): Promise<void> => {
    const isNews =
      entry.confirmedAt === undefined ||
      (canFollow(entry.state, state) &&
        (isKnownState(entry.state) || !(await earlier.hasPassed(entry, state))))
    await Promise.all([
      settleOpenCalls(entry.number, 'took-effect', at),
      isNews && setConfirmed(entry.number, state, at),
    ])
  }

  /** An unproven confirm stays visible until it is settled. */
  const setUnlessUnproven = async (order: number, { state, at }: OrderUpdate): Promise<void> => {
    const unproven = await listUnproven(order)
    if (unproven.every(({ outcome }) => outcome === 'refused')) await setState(order, state, at)
  }

  /** A confirmed order stays confirmed in an undocumented state. */
  const recordUndocumented = async (entry: Entry, { state, at }: OrderUpdate): Promise<void> => {
    if (isKnownState(state) || isFinal(entry.state)) return
    if (!(await earlier.wasBeforeConfirm(entry, state))) await setConfirmed(entry.number, state, at)
  }

  const recordUnproven = async (entry: Entry, update: OrderUpdate): Promise<void> => {
    if (entry.confirmedAt !== undefined) return recordUndocumented(entry, update)
    if (entry.state !== journalOnlyStates.expired) await setUnlessUnproven(entry.number, update)
  }

  /** The caller has locked the order. */
  const recordState = async (entry: Entry, update: OrderUpdate): Promise<void> => {
    const { number } = entry
    const { state, at } = update
    if (entry.state === state) return
    // Reads the earlier states before this one is inserted.
    await Promise.all([
      isPastPending(state) ? recordConfirmed(entry, update) : recordUnproven(entry, update),
      run('INSERT INTO states VALUES ($number, $state, $at) ON CONFLICT DO NOTHING', { number, state, at }),
    ])
  }

  const setTotal = async (order: number, total: string): Promise<void> =>
    void (await run('UPDATE orders SET total = $total WHERE number = $order', { order, total }))

  return {
    setState,
    setConfirmed,
    settleOpenCalls,
    listUnproven,

    /** Does nothing if the order is, or may be, confirmed. */
    releaseBudget: async (order: number): Promise<void> =>
      void (await run(
        `UPDATE orders SET reserved_at = NULL
         WHERE number = $order AND reserved_at IS NOT NULL AND confirmed_at IS NULL AND NOT EXISTS (
           SELECT 1 FROM calls WHERE order_number = $order AND ${unprovenCondition})`,
        { order },
      )),

    setUnconfirmed: async (order: number, serviceTime: number): Promise<void> =>
      void (await run(
        'UPDATE orders SET unconfirmed_at = $serviceTime WHERE number = $order AND confirmed_at IS NULL',
        { order, serviceTime },
      )),

    recordState,

    /** With the total, if the journal does not have it. The caller has locked the order. */
    recordUpdate: async (entry: Entry, update: OrderUpdate): Promise<void> => {
      const { total } = update
      await Promise.all([
        entry.total === undefined && total !== undefined && setTotal(entry.number, total),
        recordState(entry, update),
      ])
    },
  }
}

/** Whether a confirmed order may go from one state to the other. */
export const canFollow = (from: string, to: string): boolean => {
  if (hasReached(from, to)) return false
  // The service may deliver an order that had failed, and the journal must not hide that.
  return !isFinal(from) || (hasRedeemData(to) && from !== 'successful')
}
