// The table of webhook deliveries: which were received, and what the service said about their orders.
import type { AccountId } from '../contract/account-id.ts'
import { ofSameAccount, ownAccountQuery } from './accounts.ts'
import type { Row, Statements } from './database/database.ts'
import { runForRows } from './database/many-rows.ts'
import type { Journal } from './journal.ts'

export type NewDelivery = {
  readonly receipt: string
  /** See createDeliveryKey. */
  readonly key: string | undefined
  readonly deliveryId: string | undefined
  readonly orderId: string
  readonly at: number
}

export type ReceivedDelivery = {
  readonly number: number
  readonly receipt: string
  readonly deliveryId: string | undefined
  readonly orderId: string
  readonly at: number
}

/** `isOwn`: whether the journal has the order. */
type UncheckedDelivery = ReceivedDelivery & { readonly isOwn: boolean }

type Recorded = {
  readonly number: number
  /** Of the delivery that was received first. It differs from the given one if this is a duplicate. */
  readonly receipt: string
  /** Whether its order was read, or is unknown to the service. */
  readonly isChecked: boolean
  /** The state that the service showed for the delivery that was received first. */
  readonly state: string | undefined
}

/** What the service said about an order. `state` is undefined if it does not know the order. */
type CheckedOrder = {
  readonly orderId: string
  readonly state: string | undefined
}

/** Pages are sorted by time, then by number. */
export type Position = { readonly at: number; readonly number: number }

export const firstPosition: Position = { at: 0, number: 0 }

type Page = {
  /** Only deliveries that were received before this time are deleted. */
  readonly before: number
  /** The end of the previous page. */
  readonly after: Position
  /** How many deliveries a page has. */
  readonly limit: number
  /** Whether the delivery still waits to be forwarded. */
  readonly isWaiting: (receipt: string) => boolean
}

export type ReceivedTable = {
  /**
   * Call it before the others. A locked SQLite file blocks the whole process, and senders wait for a response, so a
   * listener waits for less time than other commands.
   */
  readonly prepare: (account: AccountId, waitMs: number) => Promise<void>
  /** Selects the ids of the orders that the journal has. */
  readonly findOwnIds: (account: AccountId, orderIds: readonly string[]) => Promise<string[]>
  /** Can be repeated if its outcome is unknown. */
  readonly recordDelivery: (account: AccountId, delivery: NewDelivery) => Promise<Recorded>
  /** Applies to each delivery of the order up to this number. */
  readonly recordChecked: (account: AccountId, checked: CheckedOrder, upTo: number) => Promise<number>
  /** Deliveries whose orders were not checked yet. Those of orders of the journal come first, then the oldest. */
  readonly listUnchecked: (account: AccountId, limit: number) => Promise<UncheckedDelivery[]>
  /** Deliveries of orders that the service knows, or may know, the oldest first. */
  readonly listReceived: (account: AccountId, since: number) => Promise<ReceivedDelivery[]>
  /** Keeps deliveries that wait for a check. Returns the end of the page, or undefined after the last page. */
  readonly deletePage: (account: AccountId, page: Page) => Promise<Position | undefined>
}

export const createReceivedTable = ({ read, write }: Journal): ReceivedTable => ({
  prepare: async (account, waitMs) => {
    await write(({ accounts }) => accounts.getOrAddNumber(account))
    await read(async ({ statements: { all, dialect } }) => {
      if (dialect.name === 'sqlite') await all(`PRAGMA busy_timeout = ${waitMs}`)
    })
  },

  findOwnIds: (account, orderIds) =>
    read(async ({ statements }) => {
      const { where, values } = ofSameAccount(account)
      const names = orderIds.map((_, index) => `$id${index}`)
      const ids = Object.fromEntries(orderIds.map((id, index) => [`id${index}`, id]))
      if (names.length === 0) return []
      const rows = await statements.all(
        `SELECT DISTINCT order_id FROM orders WHERE order_id IN (${names.join(', ')}) AND ${where}`,
        { ...ids, ...values },
      )
      return rows.map((row) => String(row.order_id))
    }),

  recordDelivery: (account, { receipt, key, deliveryId, orderId, at }) =>
    write(async ({ accounts, statements: { all } }) => {
      const number = await accounts.getOrAddNumber(account)
      const given = { account: number, receipt, key: key ?? null }
      const [added] = await all(
        `INSERT INTO received (account, receipt, delivery_key, delivery_id, order_id, received_at)
         VALUES ($account, $receipt, $key, $deliveryId, $orderId, $at)
         ON CONFLICT DO NOTHING RETURNING number, receipt, kind, state`,
        { ...given, deliveryId: deliveryId ?? null, orderId, at },
      )
      if (added !== undefined) return toRecorded(added)
      const [found] = await all(
        `SELECT number, receipt, kind, state FROM received
         WHERE receipt = $receipt OR (account = $account AND delivery_key = CAST($key AS TEXT))`,
        given,
      )
      if (found === undefined) throw new Error('the delivery is not in the journal')
      return toRecorded(found)
    }),

  recordChecked: (account, { orderId, state }, upTo) =>
    write(({ statements: { run } }) => {
      const { where, values } = ofSameAccount(account)
      return run(
        `UPDATE received SET kind = $kind, state = CAST($state AS TEXT)
         WHERE order_id = $orderId AND kind IS NULL AND number <= $upTo AND ${where}`,
        {
          ...values,
          orderId,
          upTo,
          kind: state === undefined ? 'unknown' : 'known',
          state: state ?? null,
        },
      )
    }),

  listUnchecked: (account, limit) =>
    read(async ({ statements }) => {
      const { where, values } = ofSameAccount(account)
      const rows = await statements.all(
        `SELECT number, receipt, delivery_id, order_id, received_at,
           CASE WHEN order_id IN (SELECT order_id FROM orders WHERE ${where}) THEN 1 ELSE 0 END AS is_own
         FROM received WHERE kind IS NULL AND ${where} ORDER BY is_own DESC, number LIMIT $limit`,
        { ...values, limit },
      )
      return rows.map((row) => ({ ...toDelivery(row), isOwn: Number(row.is_own) === 1 }))
    }),

  listReceived: (account, since) =>
    read(async ({ statements }) => {
      const { where, values } = ofSameAccount(account)
      const rows = await statements.all(
        `SELECT number, receipt, delivery_id, order_id, received_at FROM received
         WHERE received_at >= $since AND coalesce(kind, 'known') = 'known' AND ${where} ORDER BY number`,
        { ...values, since },
      )
      return rows.map(toDelivery)
    }),

  deletePage: async ({ address, name }, { before, after, limit, isWaiting }) => {
    const rows = await read(({ statements }) =>
      statements.all(
        // With `account IN`, SQLite would read all old rows for each page.
        `SELECT number, receipt, received_at, kind FROM received
         WHERE account = (${ownAccountQuery})
           AND received_at < $before AND (received_at, number) > ($at, $number)
         ORDER BY received_at, number LIMIT $limit`,
        { address, name: name ?? null, before, limit, ...after },
      ),
    )
    const old = rows.filter(({ kind, receipt }) => kind !== null && !isWaiting(String(receipt)))
    if (old.length > 0) await write(({ statements }) => deleteRows(statements, old))
    return rows.length < limit ? undefined : toPosition(rows.at(-1))
  },
})

const toRecorded = ({ number, receipt, kind, state }: Row): Recorded => ({
  number: Number(number),
  receipt: String(receipt),
  isChecked: kind !== null,
  state: state === null ? undefined : String(state),
})

const toDelivery = (row: Row): ReceivedDelivery => ({
  number: Number(row.number),
  receipt: String(row.receipt),
  deliveryId: row.delivery_id === null ? undefined : String(row.delivery_id),
  orderId: String(row.order_id),
  at: Number(row.received_at),
})

const deleteRows = (statements: Statements, rows: readonly Row[]): Promise<void> =>
  runForRows(
    statements,
    ['BIGINT'],
    rows.map(({ number }) => [Number(number)]),
    (list) => `DELETE FROM received WHERE number IN (SELECT column1 FROM ${list} AS old)`,
  )

const toPosition = (row: Row | undefined): Position => ({
  at: Number(row?.received_at),
  number: Number(row?.number),
})
