// Copies orders with their calls, some hundred in one transaction. An order that is here already gets the calls that it
// lacks, and its standing moves by what the source proves. Nothing else in it changes.
import { isSameReference } from '../../contract/order/reference.ts'
import { matchAccounts } from '../accounts.ts'
import type { Row, Value } from '../database/database.ts'
import { selectForRows } from '../database/many-rows.ts'
import type { Call } from '../orders/entry.ts'
import { fromRow } from '../orders/row.ts'
import { type Evidence, liveCondition, type Move, moveOrder, type VoidReason } from '../orders/standings.ts'
import { endCall, raisedCounts } from '../orders/write-rows.ts'
import { calls as callTable, orders as orderTable } from '../tables/orders.ts'
import { type CopySource, type CopyTarget, isCopied, keyOf, type Transact } from './copied-rows.ts'
import { type Clash, findClashes, giveWay, lockSlots, makeRoom } from './same-slot.ts'

/** Counts the new orders and calls, and the orders that were here and changed. */
export const copyOrders = async (source: CopySource, transact: Transact) => {
  const counts = { orders: 0, calls: 0, updated: 0 }
  /** One of each batch. */
  const clashes = new Map<string, Clash>()
  for await (const orders of source.readChunks(orderTable, isCopied, 500)) {
    const range = `BETWEEN ${orders[0]?.number} AND ${orders.at(-1)?.number}`
    const calls = await source.readRows(callTable, `WHERE order_number ${range} ORDER BY number`)
    const copied = await transact((target) => copyChunk(source, target, orders, calls))
    counts.orders += copied.orders
    counts.calls += copied.calls
    counts.updated += copied.updated
    for (const clash of copied.clashes) if (!clashes.has(clash.batch)) clashes.set(clash.batch, clash)
  }
  return { ...counts, clashes: [...clashes.values()] }
}

const copyChunk = async (
  source: CopySource,
  target: CopyTarget,
  orders: readonly Row[],
  calls: readonly Row[],
) => {
  const { access } = target
  await lockSlots(target, orders)
  await joinOrders(source, target, orders)
  const copies = await target.findCopies(orderTable, orders)
  const fresh = orders.filter(({ number }) => !copies.has(number))
  const added = await target.insertCopies(orderTable, await makeRoom(target, fresh))
  const numberOf = (order: unknown) => copies.get(order)?.number ?? added.get(order)
  const numbers = [0, ...Array.from(copies.values(), ({ number }) => number)].join(', ')
  // All transactions lock orders in this order.
  const locked = await access.all(
    `SELECT * FROM orders WHERE number IN (${numbers}) ORDER BY number ${access.dialect.forUpdate}`,
  )
  const known = new Map(locked.map((order) => [order.number, order]))

  const theirs = calls
    .map((call): Row => ({ ...call, order_number: numberOf(call.order_number) }))
    .filter(({ order_number }) => order_number !== undefined)
  const among = `WHERE order_number IN (${numbers})`
  const ours = await target.insertMissing(callTable, theirs, { among })
  for (const call of theirs) {
    const ended = ours.known.get(keyOf(callTable, call))
    if (ended?.outcome !== 'sending' || call.outcome === 'sending') continue
    const { outcome, respondedAt = 0, ...facts } = fromRow<Call>(call, callTable)
    await endCall(access, Number(ended.number), outcome, respondedAt, facts)
  }
  let updated = 0
  const lackingOf = Map.groupBy(ours.missing, ({ order_number }) => order_number)
  for (const order of orders) {
    const mine = known.get(numberOf(order.number))
    if (mine === undefined) continue
    const lacking = lackingOf.get(mine.number) ?? []
    const moves = listMoves(mine, order, lacking)
    for (const [evidence, move] of moves) await moveOrder(access, Number(mine.number), evidence, move)
    if (lacking.length + moves.length > 0) updated += 1
  }
  const clashes = await findClashes(target, orders, numberOf)
  return { orders: fresh.length, calls: ours.missing.length, updated, clashes }
}

/**
 * Remembers orders that both journals recorded themselves as copies: one placed the order, the other confirmed it by its
 * id. The batch of the source must know that such an order buys its slot.
 */
const joinOrders = async (
  source: CopySource,
  { access, rememberCopies }: CopyTarget,
  orders: readonly Row[],
): Promise<void> => {
  const { dialect } = access
  const rows = await selectForRows(
    access,
    ['BIGINT', 'TEXT', 'BIGINT', 'TEXT', 'BIGINT', 'BIGINT'],
    orders.map(
      ({ order_id, account, number, placed_at }, index) =>
        [index, order_id, account, source.id, number, placed_at] as Value[],
    ),
    (list) =>
      `SELECT column1 AS position, orders.number, reference, created_at FROM ${list} AS wanted
       ${dialect.orderedJoin} orders ${dialect.indexedBy('orders_by_id')} ON order_id = column2
       ${dialect.orderedJoin} accounts AS own ON own.number = column3
       ${dialect.orderedJoin} accounts AS other ON other.number = orders.account AND ${matchAccounts('other', 'own')}
       WHERE NOT EXISTS (SELECT 1 FROM copies WHERE kind = 'order' AND source = column4
         AND (copied_as = orders.number OR (copies.number = column5 AND copies.at = column6)))
       ORDER BY column1, orders.number`,
  )
  const joined = new Map<Row, bigint>()
  for (const row of rows) {
    const order = orders[Number(row.position)]
    const number = row.number as bigint
    if (order === undefined || joined.has(order) || [...joined.values()].includes(number)) continue
    if (isSameOrder(order, row)) joined.set(order, number)
  }
  await rememberCopies(orderTable, joined)
  for (const [{ batch, slot, changed_at: at }, number] of joined) {
    if (batch === null) continue
    const inSlot = { batch: batch as Value, slot: slot as Value, number }
    const [own] = await access.all('SELECT standing FROM orders WHERE number = $number', { number })
    // The joined order may have spent, or may still be bought.
    if (own?.standing !== 'void') await giveWay(access, inSlot, Number(at))
    await access.run(
      `UPDATE orders SET batch = $batch, slot = $slot WHERE number = $number AND batch IS NULL
         AND (NOT ${liveCondition} OR NOT EXISTS (SELECT 1 FROM orders AS other
           WHERE other.batch = $batch AND other.slot = $slot AND other.${liveCondition}))`,
      inSlot,
    )
  }
}

/** A service that was reset may use an id twice. */
const isSameOrder = (one: Row, other: Row): boolean =>
  isSameReference(String(one.reference), String(other.reference)) &&
  // For an order that was created elsewhere, it is the time when this journal first saw the order.
  ([one, other].some(({ request, created_at }) => request === null || created_at === null) ||
    one.created_at === other.created_at)

/**
 * The source's proof about the order. All confirms in the source are proven, but this journal's confirms may not be.
 */
const listMoves = (ours: Row, theirs: Row, lacking: readonly Row[]): (readonly [Evidence, Move])[] => {
  const at = Number(theirs.changed_at)
  const isCreated = ours.order_id === null && theirs.order_id !== null
  const standing = isCreated ? 'pending' : ours.standing
  const reason = theirs.void_reason as VoidReason | null
  const moves: (readonly [Evidence, Move])[] = []
  if (isCreated) {
    const columns = ['order_id', 'total', 'counts', 'products', 'created_at', 'expires_at']
    const created = takeOver(theirs, columns)
    moves.push(['created', { at, ...created }])
  }
  const isProven = theirs.standing === 'confirmed' && theirs.decision !== 'spent'
  if (standing === 'confirmed' && !(ours.decision === 'spent' && isProven)) return moves
  if (lacking.some(({ operation }) => operation === 'confirm')) moves.push(['confirm-copied', { at }])
  if (theirs.standing === 'confirmed') {
    const times = { at: Number(theirs.confirmed_at), reservedAt: Number(theirs.reserved_at) }
    const charged = takeOver(theirs, [
      'total',
      'wallet',
      'charged',
      'counts',
      'overcharged',
      'reference_shown',
    ])
    moves.push([isProven ? 'confirmed' : 'spent', { ...times, ...charged }])
  } else if (standing === 'creating' && reason !== null) moves.push(['not-created', { at, reason }])
  else if (standing === 'pending' && (reason === 'expired' || reason === 'not-spent'))
    moves.push([reason, { at }])
  return moves
}

/** Columns that never fall. */
const merged: Readonly<Record<string, string>> = {
  counts: raisedCounts,
  reference_shown:
    'CASE WHEN reference_shown = 0 THEN CAST($reference_shown AS BIGINT) ELSE reference_shown END',
}

/** Sets columns that belong to the evidence. */
const takeOver = (row: Row, columns: readonly string[]) => ({
  sets: columns.map((name) => `${name} = ${merged[name] ?? `coalesce($${name}, ${name})`}`).join(', '),
  values: Object.fromEntries(columns.map((name) => [name, row[name] as Value])),
})
