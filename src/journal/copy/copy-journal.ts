// Copies a journal file into a shared journal in one transaction. The file has given up the right to buy before, so the
// shared journal gets everything that the file knows, or nothing.

import { foldReference, isSameReference } from '../../contract/order/reference.ts'
import { Failure } from '../../errors.ts'
import { isConnectionLost } from '../../postgres/failure.ts'
import { openForReading, toFailure } from '../../sqlite/open.ts'
import type { WriteAccess } from '../access.ts'
import { matchAccounts } from '../accounts.ts'
import { insertRows, type Row, runForRows, type Value } from '../database/database.ts'
import { createSqliteDatabase } from '../database/sqlite.ts'
import { waitForConfirms } from '../limits.ts'
import { isOfAddress } from '../orders/list-orders.ts'
import { insertCards } from '../orders/seen-cards.ts'
import { accounts, actors, cardKeys, handovers, limits, reveals, seenCards } from '../tables/accounts.ts'
import { batchCards, batches, batchRows } from '../tables/batches.ts'
import { schema } from '../tables/list.ts'
import { calls, orders } from '../tables/orders.ts'
import type { Table } from '../tables/table.ts'
import {
  claimHandover,
  endHandover,
  type Handover,
  isContained,
  type Pair,
  readHandovers,
  readId,
  refuseChanged,
} from './handover.ts'

export type CopyResult = Awaited<ReturnType<typeof copyRows>>

/**
 * Copies the accounts that the file may no longer buy for. It skips those that were copied before, so it finishes a copy
 * that was interrupted. If the target refuses the orders, the file may buy again.
 */
export const copyJournal = async (pair: Pair): Promise<CopyResult> => {
  try {
    return await pair.target.write(async (access) => {
      const { begun, contained } = await lockHandovers(access, pair)
      const claims = await Promise.all(begun.map((handover) => claimHandover(pair.source, handover)))
      if (begun.length === 0 || claims.includes(false)) throw createReturnedFailure(pair.file)
      refuseChanged(pair.file, begun, contained)
      await using source = await openSource(pair.file)
      return await copyRows(
        source,
        access,
        begun.filter((each) => !isContained(each, contained)),
      )
    })
  } catch (error) {
    // A transaction whose COMMIT was lost may be committed.
    if (!isConnectionLost(error)) await giveBack(pair).catch(() => {})
    throw error
  }
}

/**
 * The file may buy again for the accounts that the target does not contain. The lock ensures that it gets none of them
 * meanwhile. Returns whether a handover ended.
 */
export const giveBack = (pair: Pair): Promise<boolean> =>
  pair.target.write(async (access) => {
    const { begun, contained } = await lockHandovers(access, pair)
    const returned = begun.filter((each) => !isContained(each, contained))
    for (const handover of returned) await endHandover(pair.source, handover)
    return returned.length > 0
  })

/** Until the transaction ends, no other process copies or gives back. Returns the handovers of both journals. */
const lockHandovers = async (access: WriteAccess, { source }: Pair) => {
  await access.run('LOCK TABLE handovers IN SHARE ROW EXCLUSIVE MODE')
  const here = await readId(access)
  const begun = (await readHandovers(source.read)).filter(({ target }) => target === here)
  const contained = await readHandovers(access)
  return { begun, contained }
}

const createReturnedFailure = (file: string): Failure =>
  new Failure('local-state', `a different command ended the copy of ${file}; nothing was copied`, {
    fix: (suggest) => suggest`journal copy`,
  })

type Source = Awaited<ReturnType<typeof openSource>>

const openSource = async (file: string) => {
  const opened = openForReading(file, schema)
  const { all, close } = createSqliteDatabase(opened, {
    now: Date.now,
    convert: (error) => toFailure(error, file, schema),
  })
  opened.exec('BEGIN')
  /** For each table, maps the numbers of rows in the source to their numbers in the target. */
  const numbers: Record<string, ReadonlyMap<unknown, bigint>> = {}

  /** Returns rows whose references to other rows use the numbers of the target. */
  const readRows = async ({ name, columns }: Table, rest: string): Promise<Row[]> => {
    const rows = await all(`SELECT ${name}.* FROM ${name} ${rest}`)
    return rows.map((row) => {
      const mapped = { ...row }
      for (const [column, { references = '' }] of Object.entries(columns)) {
        const known = numbers[references]
        if (known !== undefined) mapped[column] = known.get(row[column]) ?? null
      }
      return mapped
    })
  }
  return { all, numbers, readRows, [Symbol.asyncDispose]: close }
}

const copyRows = async (source: Source, access: WriteAccess, begun: readonly Handover[]) => {
  const isHandedOver = ({ address, name }: Row): boolean =>
    begun.some(({ account }) => account.address === address && account.name === (name ?? undefined))
  const all = (await source.readRows(accounts, 'ORDER BY number')).filter(isHandedOver)
  const own = `account IN (${[0, ...all.map(({ number }) => number)].join(', ')})`
  source.numbers.accounts = await mapRows(access, accounts, ['address', 'name'], all)
  source.numbers.actors = await mapRows(
    access,
    actors,
    ['role', 'os_user', 'host'],
    await source.readRows(actors, 'ORDER BY number'),
  )
  // Every transaction locks limits before references, and cards last.
  const copied = {
    copiedBefore: begun.length === 0,
    limits: await copyLimits(source, access, own),
    ...(await copyBatches(source, access, own)),
    ...(await copyOrders(source, access, own)),
    reveals: await copyReveals(source, access, begun),
  }
  await copyCards(source, access, own, all)
  await insertRows(access, handovers, await source.readRows(handovers, `WHERE ${own} AND forgotten IS NULL`))
  return copied
}

/** Finds or inserts rows that these columns identify. Returns their numbers here, by those in the source. */
const mapRows = async (access: WriteAccess, table: Table, by: readonly string[], rows: readonly Row[]) => {
  await insertRows(access, table, rows, 'ON CONFLICT DO NOTHING')
  const keyOf = (row: Row): string => JSON.stringify(by.map((column) => row[column]))
  const here = await access.all(`SELECT number, ${by.join(', ')} FROM ${table.name}`)
  const numbers = new Map(here.map((row) => [keyOf(row), row.number as bigint]))
  return new Map(rows.map((row) => [row.number, numbers.get(keyOf(row)) as bigint]))
}

/** A limit that the target already has is kept. The database refuses a role that may not change limits. */
const copyLimits = async (source: Source, access: WriteAccess, own: string): Promise<number> => {
  const theirs = await source.readRows(limits, `WHERE ${own} ORDER BY account, currency, kind`)
  const ours = await access.all('SELECT * FROM limits')
  const isMissing = (limit: Row) =>
    !ours.some((each) => limits.primaryKey.every((name) => each[name] === limit[name]))
  const missing = theirs.filter(isMissing)
  if (missing.length === 0) return 0
  await waitForConfirms(access)
  await insertRows(access, limits, missing)
  return missing.length
}

const copyBatches = async (source: Source, access: WriteAccess, own: string) => {
  /** Batches whose name belongs to a different batch of the target. */
  const renamed: { readonly from: string; readonly to: string }[] = []
  const here = new Map<unknown, bigint>()
  for (const batch of await source.readRows(batches, `WHERE ${own} ORDER BY number`)) {
    const from = String(batch.name)
    const to = await findFreeName(access, batch)
    const [number = 0n] = await insertRows(access, batches, [
      { ...batch, name: to, name_fold: foldReference(to) },
    ])
    here.set(batch.number, number)
    if (to !== from) renamed.push({ from, to })
  }
  source.numbers.batches = here
  for (const table of [batchRows, batchCards])
    await insertRows(
      access,
      table,
      await source.readRows(table, `WHERE batch IN (SELECT number FROM batches WHERE ${own})`),
    )
  return { batches: here.size, renamed }
}

/** A batch that was started can neither be deleted nor renamed. */
const findFreeName = async ({ all }: WriteAccess, { account, name, cancelled_at: cancelledAt }: Row) => {
  const others = cancelledAt === null ? 'cancelled_at IS NULL' : 'TRUE'
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? String(name) : `${name}-${count}`
    const values = { account: account as bigint, fold: foldReference(free) }
    const query = `SELECT 1 FROM batches WHERE account = $account AND name_fold = $fold AND ${others}`
    if ((await all(query, values)).length === 0) return free
  }
}

/** Throws if orders clash. `inBoth` counts the orders that the target already had. */
const copyOrders = async (source: Source, access: WriteAccess, own: string) => {
  const all = await source.readRows(orders, `WHERE ${own} ORDER BY number`)
  const fresh = await findFresh(access, all)
  const added = await insertRows(access, orders, fresh)
  source.numbers.orders = new Map(fresh.map(({ number }, index) => [number, added[index] as bigint]))
  const theirs = await source.readRows(calls, 'ORDER BY number')
  await insertRows(
    access,
    calls,
    theirs.filter(({ order_number }) => order_number !== null),
  )
  return { orders: fresh.length, inBoth: all.length - fresh.length }
}

/**
 * The orders that the target does not have. Throws if some clash. A void order clashes with nothing, and neither do the
 * orders of two batches with one name, because their references come from it.
 */
const findFresh = async (access: WriteAccess, all: readonly Row[]): Promise<Row[]> => {
  const holding = all.filter(holds)
  await lockReferences(access, holding)
  const sameId = await findOrders(access, all, 'order_id')
  const sameReference = await findOrders(access, holding, 'reference_fold')
  const clashes: string[] = []
  const fresh = all.filter((order) => {
    const ofId = sameId.get(order) ?? []
    const isSame = (each: Row) =>
      ofId.some(({ number }) => number === each.number) && isSameOrder(order, each)
    if (ofId.some((each) => isKnown(order, each))) return false
    const ofReference = (sameReference.get(order) ?? []).filter(
      (each) =>
        (order.batch === null || each.batch === null) &&
        isSameReference(String(order.reference), String(each.reference)),
    )
    const isClash = (each: Row) => holds(each) && (isSame(each) || !(isAllowed(order) || isAllowed(each)))
    const clash = holds(order) ? [...ofId, ...ofReference].find(isClash) : undefined
    if (clash !== undefined)
      clashes.push(
        `${order.reference}: ${describe(order)} in the file, and ${describe(clash)} in the shared journal`,
      )
    return true
  })
  if (clashes.length === 0) return fresh
  throw new Failure(
    'reference-used',
    'orders of the file clash with orders of the shared journal; nothing was copied',
    {
      violations: clashes,
      advice:
        'They may have been bought twice: compare them with list. If both are one order, get it with the shared journal first. If it belongs to a batch, keep the file instead, with --undo.',
    },
  )
}

const holds = (order: Row): boolean => Boolean(order.holds)

/** With --allow-duplicate. */
const isAllowed = ({ duplicate }: Row): boolean => duplicate === 1n

const describe = ({ order_id: id, state }: Row): string => `${id} (${state})`

/** The target knows as much about the order: a person here placed it, and a different one confirmed it there by its id. */
const isKnown = (order: Row, here: Row): boolean =>
  isSameOrder(order, here) && (!holds(order) || (here.standing === 'confirmed' && order.batch === null))

/** A service that was reset may use an id twice. */
const isSameOrder = (one: Row, other: Row): boolean =>
  isSameReference(String(one.reference), String(other.reference)) &&
  // For an order that was created elsewhere, it is the time when this journal first saw the order.
  ([one, other].some(({ request, created_at }) => request === null || created_at === null) ||
    one.created_at === other.created_at)

/** The target's orders with the same value in the column, whose accounts may be the same. */
const findOrders = async (
  access: WriteAccess,
  wanted: readonly Row[],
  column: 'order_id' | 'reference_fold',
): Promise<ReadonlyMap<Row | undefined, readonly Row[]>> => {
  const rows = await runForRows(
    access,
    ['BIGINT', 'BIGINT', 'TEXT'],
    wanted.map((order, index) => [index, order.account, order[column]] as Value[]),
    (list) =>
      `SELECT column1 AS position, orders.* FROM ${list} AS wanted
       JOIN accounts AS own ON own.number = column2
       JOIN accounts AS other ON ${matchAccounts('other', 'own')}
       JOIN orders ON orders.${column} = column3 AND orders.account = other.number
       ORDER BY orders.number`,
  )
  return Map.groupBy(rows, ({ position }) => wanted[Number(position)])
}

/** Until the transaction ends, no other process begins a create or confirm of these references. */
const lockReferences = (access: WriteAccess, holding: readonly Row[]) =>
  runForRows(
    access,
    ['BIGINT', 'TEXT'],
    holding.map(({ account, reference_fold }) => [account, reference_fold] as Value[]),
    (list) =>
      `INSERT INTO reference_locks (address, reference_fold)
       SELECT DISTINCT address, column2 FROM ${list} AS wanted JOIN accounts ON number = column1
       WHERE column2 IS NOT NULL ORDER BY address, column2
       ON CONFLICT (address, reference_fold) DO UPDATE SET reference_fold = excluded.reference_fold`,
  )

/** Returns the number of reveals. */
const copyReveals = async (
  source: Source,
  access: WriteAccess,
  begun: readonly Handover[],
): Promise<number> => {
  const all = await source.readRows(reveals, 'ORDER BY number')
  const theirs = all.filter(({ origin }) => begun.some(({ account }) => isOfAddress(String(origin), account)))
  await insertRows(access, reveals, theirs)
  return theirs.length
}

/** With the keys of their hashes, so that this journal knows the cards. Its own first order of a card stays the first. */
const copyCards = async (
  { readRows, numbers }: Source,
  access: WriteAccess,
  own: string,
  all: readonly Row[],
) => {
  const keys: readonly Row[] = [
    ...all.map(({ number, card_key }) => ({ account: numbers.accounts?.get(number), card_key })),
    ...(await readRows(cardKeys, `WHERE ${own}`)),
  ]
  await runForRows(
    access,
    ['BIGINT', 'TEXT'],
    keys.map(({ account, card_key }) => [account, card_key] as Value[]),
    (list) =>
      `INSERT INTO card_keys (account, card_key) SELECT column1, column2 FROM ${list} AS keys
       WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE number = column1 AND accounts.card_key = column2)
       ON CONFLICT DO NOTHING`,
  )
  const cards = await readRows(seenCards, `WHERE ${own}`)
  await insertCards(
    access,
    cards.filter(({ is_first }) => Number(is_first) === 1),
    true,
  )
  await insertCards(access, cards, false)
}
