// Finds the last order and the last batch: in a shared journal, those of the same database role and OS user, on any of
// their machines.

import type { AccountTable } from './accounts.ts'
import { cleanIdentity, type Identity } from './actors/actors.ts'
import type { Statements, Values } from './database/database.ts'
import { createdCondition, type Entry, type Owner } from './entry.ts'
import type { SelectEntries } from './select-entries.ts'

const isPlaced = 'request IS NOT NULL'

// Machines of CI jobs may have a new name each time.
const maxActors = 10_000

type Parts = {
  readonly selectEntries: SelectEntries
  readonly accounts: AccountTable
  readonly identify: () => Identity
}

export const createLastQueries = (
  { all, dialect }: Statements,
  { selectEntries, accounts, identify }: Parts,
) => {
  /** The file of a machine has only the orders of its user. */
  const isShared = dialect.name === 'postgres'
  const user = (): Values => (isShared ? { osUser: cleanIdentity(identify()).osUser } : {})
  const ownActors = `(SELECT number FROM actors WHERE role = ${dialect.role} AND os_user = $osUser
    ORDER BY number DESC LIMIT ${maxActors})`

  const selectLast = async (
    { account }: Pick<Owner, 'account'>,
    condition: string,
  ): Promise<Entry | undefined> => {
    const where = `${await accounts.createCondition(account)} AND ${condition}`
    // One search in the index last_orders for each machine.
    const ofUser = `number = (SELECT max((SELECT number FROM orders WHERE actor = own.number AND ${where}
      ORDER BY number + 0 DESC LIMIT 1)) FROM ${ownActors} AS own)`
    const [found] = await selectEntries({ where: isShared ? ofUser : where, values: user(), limit: 1 })
    return found
  }

  return {
    /** The newest order that was created with orderctl, or may have been. */
    findLast: (owner: Pick<Owner, 'account'>): Promise<Entry | undefined> =>
      selectLast(owner, `${isPlaced} AND ${createdCondition}`),

    /** Like `findLast`, but also finds an order that was refused or never sent. */
    findLastAttempt: (owner: Pick<Owner, 'account'>): Promise<Entry | undefined> =>
      selectLast(owner, isPlaced),

    findLastBatchNumber: async (condition: string, values: Values = {}): Promise<number | undefined> => {
      const [found] = await all(
        `SELECT number FROM batches WHERE ${condition} ${isShared ? `AND actor IN ${ownActors}` : ''}
         ORDER BY number DESC LIMIT 1`,
        { ...values, ...user() },
      )
      return found === undefined ? undefined : Number(found.number)
    },
  }
}
