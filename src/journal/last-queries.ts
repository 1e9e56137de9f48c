// Finds the last order and the last batch, but none that an assistant prepared: in a shared journal, those of the same
// database role and OS user, on any of their machines.
import type { AccountId } from '../contract/account-id.ts'
import { assistantPrefix } from '../contract/order-words.ts'
import type { Access } from './access.ts'
import { readAccountCondition } from './accounts.ts'
import { maxActors } from './actors.ts'
import type { Values } from './database/database.ts'
import type { Entry } from './entry.ts'
import { selectEntries } from './queries.ts'
import { createdCondition } from './standings.ts'

/** Conditions on the rows of the user. The file of a machine has only rows of its user. */
const findOwn = ({ statements: { dialect }, identify }: Access) => {
  const isShared = dialect.name === 'postgres'
  return {
    isShared,
    /** The actors of the user. */
    actors: `(SELECT number FROM actors WHERE role = ${dialect.role} AND os_user = $osUser
      ORDER BY number DESC LIMIT ${maxActors})`,
    /** The user wrote the row. Another role may write one in the name of the user. */
    isWritten: `written_by = ${dialect.role}`,
    values: (isShared ? { osUser: identify().osUser } : {}) as Values,
  }
}

/** The newest order that was created with orderctl, or may have been. With `isAttempt`, also one that was not created. */
export const findLast = async (
  access: Access,
  account: AccountId,
  { isAttempt }: { readonly isAttempt: boolean },
): Promise<Entry | undefined> => {
  const { isShared, actors, isWritten, values } = findOwn(access)
  const where = `${await readAccountCondition(access.statements, account)}
    AND request IS NOT NULL AND placed_with IS NULL AND ${isAttempt ? 'TRUE' : createdCondition}`
  // One search in the index last_orders for each machine.
  const ofUser = `number = (SELECT max((SELECT number FROM orders WHERE actor = own.number AND ${isWritten} AND ${where}
    ORDER BY number + 0 DESC LIMIT 1)) FROM ${actors} AS own)`
  const [found] = await selectEntries(access.statements, {
    where: isShared ? ofUser : where,
    values,
    limit: 1,
  })
  return found
}

export const findLastBatchNumber = async (
  access: Access,
  condition: string,
  values: Values = {},
): Promise<number | undefined> => {
  const own = findOwn(access)
  const isOwn = own.isShared ? `actor IN ${own.actors} AND ${own.isWritten}` : 'TRUE'
  const [found] = await access.statements.all(
    `SELECT number FROM batches WHERE ${condition} AND name NOT LIKE '${assistantPrefix}%' AND ${isOwn}
     ORDER BY number DESC LIMIT 1`,
    { ...values, ...own.values },
  )
  return found && Number(found.number)
}
