// What an order costs the server of a shared journal, without the orders of others around it.
import { openSharedJournal } from '../../../src/journal/shared/shared-journal.ts'
import type { TestDatabase } from '../../support/postgres/database.ts'
import { journalOptions } from './database.ts'
import { countPerOrder, readCounters, renderCounters } from './database-counters.ts'
import { callsOf } from './journal-calls.ts'

export const measureFootprint = async (database: TestDatabase, count: number): Promise<string> => {
  await (await openSharedJournal(journalOptions(database))).close()
  const before = await readCounters(database)
  const journal = await openSharedJournal(journalOptions(database))
  const calls = callsOf(journal)
  for (let index = 0; index < count; index += 1) {
    await calls.create(index)
    await calls.confirm(index)
  }
  await journal.close()
  const counters = countPerOrder(before, await readCounters(database), count)
  return renderCounters(`per order, of ${count}`, [['create and confirm', counters]])
}
