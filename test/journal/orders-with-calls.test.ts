// A call that ends between two statements of a check, in a transaction of another process. Only PostgreSQL allows that.
import { expect, test } from 'vitest'
import type { Statements } from '../../src/journal/database/database.ts'
import { createPostgresDatabase } from '../../src/journal/database/postgres.ts'
import { createTables } from '../../src/journal/tables.ts'
import { openPostgres } from '../../src/postgres/open.ts'
import { findJournalKind, optionsOf } from './journals.ts'
import { createOrderDesk, done, owner } from './order-desk.ts'

/** Runs `act` after the first statement that reads orders or calls, and before the next one is sent. */
const actAfterFirstRead = (statements: Statements, act: () => Promise<unknown>): Statements => {
  let acted: Promise<unknown> | undefined
  return {
    ...statements,
    all: async (sql, values) => {
      if (!/FROM (orders|calls)/.test(sql)) return statements.all(sql, values)
      if (acted !== undefined) {
        await acted
        return statements.all(sql, values)
      }
      const rows = statements.all(sql, values)
      acted = rows.then(act)
      await acted
      return rows
    },
  }
}

test('an order whose create ends meanwhile has an open create, or its id', async () => {
  const { journal, address, close } = await findJournalKind('PostgreSQL').openShared()
  const database = createPostgresDatabase(openPostgres(optionsOf(address)))
  try {
    const desk = createOrderDesk(journal)
    const begun = await desk.begin()
    const found = await database.transaction((statements) => {
      const { queries } = createTables(
        actAfterFirstRead(statements, () => journal.endCreate(begun, done(), 1_100)),
      )
      return queries.findAllWithCalls(owner.account, 'r')
    })
    expect(found).toHaveLength(1)
    const isOpen = found[0]?.calls.some(({ outcome }) => outcome === 'sending') === true
    expect(isOpen || found[0]?.entry.orderId === 'o1').toBe(true)
    expect(await desk.getState('o1')).toBe('created')
  } finally {
    await database.close()
    await close()
  }
})
