// The processes that receive webhooks of an account, and what the journal shows to processes that wait for orders.
import type { AccountId } from '../contract/account-id.ts'
import { ofSameAccount } from './accounts.ts'
import type { Dialect } from './database/database.ts'
import { selectForRows } from './database/many-rows.ts'
import type { Entry } from './entry.ts'
import type { Journal } from './journal.ts'
import { type Damage, fromRow } from './row.ts'
import { findUndocumented } from './standings.ts'

export const beatEveryMs = 10_000
/** A listener that was not seen for this time has ended without saying so. */
const aliveMs = 30_000

/** A condition on a row of listeners. A time in the future was recorded before the clock was set back. */
const isAlive = ({ now }: Pick<Dialect, 'now'>): string =>
  `seen_at BETWEEN ${now} - ${aliveMs} AND ${now} + ${aliveMs}`

/** A process that writes what it learns into this journal. It calls `beat` at its start and at least every `beatEveryMs`. */
export type ListenerTable = {
  /** Registers the process, or says that it still receives webhooks of the account. */
  readonly beat: (account: AccountId, processId: number) => Promise<void>
  readonly end: (account: AccountId, processId: number) => Promise<void>
}

export const createListenerTable = ({ write }: Journal): ListenerTable => ({
  beat: (account, processId) =>
    write(async ({ statements: { run, dialect }, accounts, actor }) => {
      const number = await accounts.getOrAddNumber(account)
      await Promise.all([
        run(`DELETE FROM listeners WHERE account = $number AND NOT (${isAlive(dialect)})`, { number }),
        run(
          `INSERT INTO listeners (account, actor, process, seen_at)
           VALUES ($number, $actor, $processId, ${dialect.now})
           ON CONFLICT (account, actor, process) DO UPDATE SET seen_at = excluded.seen_at`,
          { number, actor: actor ?? null, processId },
        ),
      ])
    }),

  end: (account, processId) =>
    write(async ({ statements: { run }, accounts, actor }) => {
      const number = await accounts.getOrAddNumber(account)
      await run('DELETE FROM listeners WHERE account = $number AND actor = $actor AND process = $processId', {
        ...{ number, actor: actor ?? null, processId },
      })
    }),
})

export type ShownOrder = Pick<Entry, 'reference' | 'state' | 'delivered'> &
  Damage & {
    readonly orderId: string
    /** A listener has received a delivery of the order before, and a listener of its account is alive. */
    readonly isPushed: boolean
  }

type Stored = Omit<ShownOrder, 'isPushed'> & { readonly serviceState?: string | undefined }

/** One query for all orders. Of several orders with the same id, the newest one. */
export const listShownOrders = (
  { read }: Journal,
  account: AccountId,
  orderIds: readonly string[],
): Promise<ShownOrder[]> =>
  read(async ({ statements }) => {
    const { dialect } = statements
    const { where, values } = ofSameAccount(account)
    // An order that was created without the address of the listener is never delivered to it.
    const isPushed = `EXISTS (SELECT 1 FROM listeners WHERE ${ofSameAccount(account, 'listeners.account').where}
        AND ${isAlive(dialect)})
      AND EXISTS (SELECT 1 FROM received WHERE ${ofSameAccount(account, 'received.account').where}
        AND received.order_id = orders.order_id)`
    const rows = await selectForRows(
      { ...statements, all: (sql, given) => statements.all(sql, { ...given, ...values }) },
      ['TEXT'],
      orderIds.map((id) => [id]),
      (list) =>
        `SELECT order_id, reference, state, service_state, delivered,
           CASE WHEN ${isPushed} THEN 1 ELSE 0 END AS is_pushed
         FROM ${list} AS wanted ${dialect.orderedJoin} orders ${dialect.indexedBy('orders_by_id')}
           ON order_id = column1
         WHERE ${where} ORDER BY number`,
    )
    const newest = new Map(rows.map((row) => [String(row.order_id), row]))
    return [...newest.values()].map(({ is_pushed, ...row }) => {
      const { serviceState, ...order } = fromRow<Stored>(row)
      const state = findUndocumented({ serviceState }) ?? order.state
      return { ...order, state, isPushed: Number(is_pushed) === 1 }
    })
  })
