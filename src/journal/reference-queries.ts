// Finds the orders that have a reference, and those that block it.
import type { AccountId } from '../contract/account-id.ts'
import { foldReference, isSameReference } from '../contract/reference.ts'
import type { AccountTable } from './accounts.ts'
import { type Call, type Entry, isUnproven, isVoid, journalOnlyStates, type Owner } from './entry.ts'
import { holdingCondition } from './schema.ts'
import type { SelectEntries } from './select-entries.ts'

export const createReferenceQueries = (
  selectEntries: SelectEntries,
  listCalls: (order: number) => Call[],
  accounts: AccountTable,
) => {
  const selectByFold = (account: AccountId, reference: string, condition = 'TRUE'): Entry[] =>
    selectEntries({
      where: `reference_fold = $fold AND ${accounts.createCondition(account)} AND ${condition}`,
      values: { fold: foldReference(reference) },
    })

  /** Includes void orders. */
  const findAllByReference = (account: AccountId, reference: string): Entry[] =>
    selectByFold(account, reference).filter((entry) => isSameReference(entry.reference ?? '', reference))

  return {
    findAllByReference,

    findByReference: ({ account }: Pick<Owner, 'account'>, reference: string): Entry[] =>
      findAllByReference(account, reference).filter(
        ({ state }) => state !== journalOnlyStates.refused && state !== journalOnlyStates.notSent,
      ),

    /** The newest order that holds the reference. */
    findHolder: (account: AccountId, reference: string): Entry | undefined =>
      findAllByReference(account, reference).find(({ state }) => !isVoid(state)),

    /** Another order that is, or may be, the purchase of this reference. */
    findRival: (account: AccountId, reference: string, number: number | undefined): Entry | undefined =>
      findAllByReference(account, reference).find((other) => {
        if (other.number === number || other.duplicate === 1) return false
        if (listCalls(other.number).some(isUnproven)) return true
        if (isVoid(other.state)) return false
        return other.confirmedAt !== undefined || number === undefined || other.number > number
      }),

    /** References that differ from this one only in case, spaces or invisible characters. */
    findSimilarReferences: (account: AccountId, reference: string): string[] => {
      const similar = selectByFold(account, reference, holdingCondition).flatMap(
        (entry) => entry.reference ?? [],
      )
      return [...new Set(similar)].filter((each) => !isSameReference(each, reference))
    },
  }
}
