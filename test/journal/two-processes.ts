// Two processes with one journal on PostgreSQL. SQLite lets one transaction run at a time.
import { expect, onTestFinished, test } from 'vitest'
import type { Journal } from '../../src/journal/journal.ts'
import { recordEnd } from '../../src/journal/orders/write-order.ts'
import { readScripts, runScript, runStep, type Verbs } from '../support/steps.ts'
import { findJournalKind, type SharedJournal } from './journals.ts'
import { type Begun, createOrderVerbs } from './script.ts'

/** What the first process does. All its transactions are one, which the second process meets. */
type First = (journal: Journal) => Promise<unknown>

const over = (write: Journal['write']): Pick<Journal, 'begin' | 'end'> => ({
  begin: (_account, work) => write(work),
  end: (call, fact, alsoDo) =>
    write(async (access) => {
      const ended = recordEnd(access, call, fact)
      await ended
      return alsoDo?.(access, ended)
    }),
})

export const openTwoProcesses = async () => {
  const kind = findJournalKind('PostgreSQL')
  const shared = await kind.openShared()
  const { journal, address, query, close } = shared
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
  const during = async <Result>(first: First, second: () => Promise<Result>) => {
    let hasEnded = false
    let hasWaited = false
    const { working } = await other.write(async (tables) => {
      const write: Journal['write'] = (work) => work(tables)
      await first({ ...other, read: tables, write, ...over(write) })
      const working = second().finally(() => {
        hasEnded = true
      })
      while (!hasEnded && !hasWaited) hasWaited = await isWaiting()
      return { working }
    })
    return { result: await working, hasWaited }
  }
  return { shared, journal, during }
}

/** As another process that runs one statement. */
export const runSql =
  (sql: string): First =>
  ({ write }) =>
    write(({ run }) => run(sql))

/**
 * A test for each script. `while FIRST: SECOND` runs SECOND while FIRST is in a transaction of a different process.
 * Its result begins with 'waits' if SECOND waits for the end of that transaction.
 */
export const testTwoProcesses = (
  texts: string,
  createVerbs: (shared: SharedJournal, begun: Begun) => Verbs = createOrderVerbs,
): void => {
  test.each(readScripts(texts))('%s', async (_title, text) => {
    const { shared, during } = await openTwoProcesses()
    const begun: Begun = new Map()
    const verbs = createVerbs(shared, begun)
    const runWhile: Verbs[string] = async (step) => {
      const [first = '', second = ''] = step.text.split(': ')
      const { result, hasWaited } = await during(
        async (journal) =>
          expect(await runStep(createVerbs({ ...shared, journal }, begun), first)).toBe(first),
        () => runStep(verbs, second),
      )
      return [hasWaited ? 'waits' : '', ...result.split(' → ').slice(1)].filter(Boolean).join(', ')
    }
    expect(await runScript({ ...verbs, while: runWhile }, text)).toBe(text)
  })
}
