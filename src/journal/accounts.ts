// The accounts that the journal has orders of.
import type { DatabaseSync } from 'node:sqlite'
import type { AccountId } from '../contract/account-id.ts'

export type Accounts = ReturnType<typeof accountsIn>

export const accountsIn = (database: DatabaseSync) => ({
  /** An SQL condition on `account`: this account, and those that may be the same (see isSameAccount). */
  condition: ({ address, name }: AccountId): string => {
    const numbers = database
      .prepare(
        `SELECT number FROM accounts
         WHERE address = $address AND (name IS NULL OR $name IS NULL OR name = $name)`,
      )
      .all({ address, name: name ?? null })
      .map(({ number }) => Number(number))
    // With an equals sign, SQLite reads the rows of one account in the order of the index. No account has the
    // number 0: SQLite cannot use an index for an empty list.
    return numbers.length <= 1 ? `account = ${numbers[0] ?? 0}` : `account IN (${numbers.join(', ')})`
  },

  /** Its number. Adds the account if it is new, so call it within a transaction. */
  numberOf: ({ address, name }: AccountId): number => {
    const found = database
      .prepare('SELECT number FROM accounts WHERE address = $address AND name IS $name')
      .get({ address, name: name ?? null })
    if (found !== undefined) return Number(found.number)
    const { lastInsertRowid } = database
      .prepare('INSERT INTO accounts (address, name) VALUES ($address, $name)')
      .run({ address, name: name ?? null })
    return Number(lastInsertRowid)
  },

  idOf: (number: number): AccountId | undefined => {
    const found = database.prepare('SELECT address, name FROM accounts WHERE number = ?').get(number)
    if (found === undefined) return undefined
    const { address, name } = found as { address: string; name: string | null }
    return { address, ...(name === null ? {} : { name }) }
  },
})
