// The table of webhook deliveries: which were received, and what the service said about their orders.
import type { AccountId } from '../../contract/account-id.ts'
import { ofSameAccount } from '../accounts.ts'
import type { Row } from '../database/database.ts'
import type { JournalParts } from '../journal.ts'

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
export type UncheckedDelivery = ReceivedDelivery & { readonly isOwn: boolean }

export type Recorded = {
  readonly number: number
  /** Of the delivery that was received first. It differs from the given one if this is a duplicate. */
  readonly receipt: string
  /** Whether its order was read, or is unknown to the service. */
  readonly isChecked: boolean
  /** The state that the service showed for the delivery that was received first. */
  readonly state: string | undefined
}

/** What the service said about an order. `state` is undefined if it does not know the order. */
export type CheckedOrder = {
  readonly orderId: string
  readonly state: string | undefined
}

export type ReceivedTable = ReturnType<typeof createReceivedTable>

export const createReceivedTable = ({ tables, runTransaction }: JournalParts) => {
  const { statements } = tables
  return {
    /**
     * Call it before the others. A locked SQLite file blocks the whole process, and senders wait for an answer, so a
     * listener waits for less time than other commands.
     */
    prepare: async (account: AccountId, waitMs: number): Promise<void> => {
      await runTransaction(({ accounts }) => accounts.getOrAddNumber(account))
      if (statements.dialect.name === 'sqlite') await statements.all(`PRAGMA busy_timeout = ${waitMs}`)
    },

    /** Selects the ids of the orders that the journal has. */
    findOwnIds: async (account: AccountId, orderIds: readonly string[]): Promise<string[]> => {
      const { where, values } = ofSameAccount(account)
      const names = orderIds.map((_, index) => `$id${index}`)
      const ids = Object.fromEntries(orderIds.map((id, index) => [`id${index}`, id]))
      if (names.length === 0) return []
      const rows = await statements.all(
        `SELECT DISTINCT order_id FROM orders WHERE order_id IN (${names.join(', ')}) AND ${where}`,
        { ...ids, ...values },
      )
      return rows.map((row) => String(row.order_id))
    },

    /** Can be repeated if its outcome is unknown. */
    recordDelivery: (
      account: AccountId,
      { receipt, key, deliveryId, orderId, at }: NewDelivery,
    ): Promise<Recorded> =>
      runTransaction(async ({ accounts, statements: { all } }) => {
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

    /** Applies to each delivery of the order up to this number. */
    recordChecked: (account: AccountId, { orderId, state }: CheckedOrder, upTo: number): Promise<number> => {
      const { where, values } = ofSameAccount(account)
      return runTransaction(({ statements: { run } }) =>
        run(
          `UPDATE received SET kind = $kind, state = CAST($state AS TEXT)
           WHERE order_id = $orderId AND kind IS NULL AND number <= $upTo AND ${where}`,
          {
            ...values,
            orderId,
            upTo,
            kind: state === undefined ? 'unknown' : 'known',
            state: state ?? null,
          },
        ),
      )
    },

    /** Deliveries whose orders were not checked yet. Those of orders of the journal come first, then the oldest. */
    listUnchecked: async (account: AccountId, limit: number): Promise<UncheckedDelivery[]> => {
      const { where, values } = ofSameAccount(account)
      const rows = await statements.all(
        `SELECT number, receipt, delivery_id, order_id, received_at,
           CASE WHEN order_id IN (SELECT order_id FROM orders WHERE ${where}) THEN 1 ELSE 0 END AS is_own
         FROM received WHERE kind IS NULL AND ${where} ORDER BY is_own DESC, number LIMIT $limit`,
        { ...values, limit },
      )
      return rows.map((row) => ({ ...toDelivery(row), isOwn: Number(row.is_own) === 1 }))
    },

    /** Deliveries of orders that the service knows, or may know, the oldest first. */
    listReceived: async (account: AccountId, since: number): Promise<ReceivedDelivery[]> => {
      const { where, values } = ofSameAccount(account)
      const rows = await statements.all(
        `SELECT number, receipt, delivery_id, order_id, received_at FROM received
         WHERE received_at >= $since AND coalesce(kind, 'known') = 'known' AND ${where} ORDER BY number`,
        { ...values, since },
      )
      return rows.map(toDelivery)
    },
  }
}

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
