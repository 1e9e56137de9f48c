// The table of accounts that have orders in the journal.
import type { DatabaseSync } from 'node:sqlite'
import type { AccountId } from '../contract/account-id.ts'

export type AccountTable = ReturnType<typeof createAccountTable>

export const createAccountTable = (database: DatabaseSync) => ({
  /** An SQL condition on `account` that also includes accounts that may be the same (see isSameAccount). */
  createCondition: ({ address, name }: AccountId): string => {
    const numbers = database
      .prepare(
        `SELECT number FROM accounts
         WHERE address = $address AND (name IS NULL OR $name IS NULL OR name = $name)`,
      )
      .all({ address, name: name ?? null })
      .map(({ number }) => Number(number))
    // With `=`, SQLite reads the rows of one account in index order. No account has the number 0, which stands for
    // an empty list because SQLite cannot use an index for `IN ()`.
    return numbers.length <= 1 ? `account = ${numbers[0] ?? 0}` : `account IN (${numbers.join(', ')})`
  },

  /** Call it within a transaction, because it may insert a row. */
  getOrAddNumber: ({ address, name }: AccountId): number => {
    const found = database
      .prepare('SELECT number FROM accounts WHERE address = $address AND name IS $name')
      .get({ address, name: name ?? null })
    if (found !== undefined) return Number(found.number)
    const { lastInsertRowid } = database
      .prepare('INSERT INTO accounts (address, name) VALUES ($address, $name)')
      .run({ address, name: name ?? null })
    return Number(lastInsertRowid)
  },

  getId: (number: number): AccountId | undefined => {
    const found = database.prepare('SELECT address, name FROM accounts WHERE number = ?').get(number)
    if (found === undefined) return undefined
    const { address, name } = found as { address: string; name: string | null }
    return { address, ...(name === null ? {} : { name }) }
  },
})
