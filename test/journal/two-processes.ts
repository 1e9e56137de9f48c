// Two processes with one journal on PostgreSQL. SQLite lets one transaction run at a time.
import { onTestFinished } from 'vitest'
import type { Journal } from '../../src/journal/journal.ts'
import { findJournalKind } from './journals.ts'

/** What the first process does. All its transactions are one, which the second process meets. */
type First = (journal: Journal) => Promise<unknown>

export const openTwoProcesses = async () => {
  const kind = findJournalKind('PostgreSQL')
  const { journal, address, query, close } = await kind.openShared()
  const other = await kind.openAt(address)
  onTestFinished(async () => {
    await other.close()
    await close()
  })

  const isWaiting = async (): Promise<boolean> => {
    const waiting = await query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return waiting.length > 0
  }

  /** The first process commits its transaction when the work of the second one has ended or waits for it. */
  const during = async (first: First, second: () => Promise<unknown>) => {
    let hasEnded = false
    let hasWaited = false
    const { working } = await other.write(async (tables) => {
      await first({ ...other, read: tables, write: (work) => work(tables) })
      const working = second().finally(() => {
        hasEnded = true
      })
      while (!hasEnded && !hasWaited) hasWaited = await isWaiting()
      return { working }
    })
    return { result: await working, hasWaited }
  }
  return { journal, query, during }
}

/** As another process that runs one statement. */
export const runSql =
  (sql: string): First =>
  ({ write }) =>
    write(({ run }) => run(sql))
