// Deletes deliveries that were received long ago, a page at a time.
import type { AccountId } from '../../contract/account-id.ts'
import { ownAccountQuery } from '../accounts.ts'
import type { Row, Statements } from '../database/database.ts'
import { runForRows } from '../database/many-rows.ts'
import type { JournalParts } from '../journal.ts'

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

export type OldDeliveryTable = ReturnType<typeof createOldDeliveryTable>

export const createOldDeliveryTable = ({ tables, runTransaction }: JournalParts) => ({
  /** Keeps deliveries that wait for a check. Returns the end of the page, or undefined after the last page. */
  deletePage: async (
    { address, name }: AccountId,
    { before, after, limit, isWaiting }: Page,
  ): Promise<Position | undefined> => {
    const rows = await tables.statements.all(
      // With `account IN`, SQLite would read all old rows for each page.
      `SELECT number, receipt, received_at, kind FROM received
       WHERE account = (${ownAccountQuery})
         AND received_at < $before AND (received_at, number) > ($at, $number)
       ORDER BY received_at, number LIMIT $limit`,
      { address, name: name ?? null, before, limit, ...after },
    )
    const old = rows.filter(({ kind, receipt }) => kind !== null && !isWaiting(String(receipt)))
    if (old.length > 0) await runTransaction(({ statements }) => deleteRows(statements, old))
    return rows.length < limit ? undefined : toPosition(rows.at(-1))
  },
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
