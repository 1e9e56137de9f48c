// Finds the orders that have a reference, and those that block it.
import type { AccountId } from '../contract/account-id.ts'
import { foldReference, isSameReference } from '../contract/reference.ts'
import { ofSameAccount } from './accounts.ts'
import { type Entry, isNeverCreated, type Owner } from './entry.ts'
import type { SelectEntries } from './select-entries.ts'
import { holdingCondition, isHolding, isUnprovenOrder } from './standings.ts'

export const createReferenceQueries = (selectEntries: SelectEntries) => {
  /** Also selects references that only look like this one. */
  const selectByFold = (account: AccountId, reference: string) => {
    const { where, values } = ofSameAccount(account)
    return {
      where: `reference_fold = $fold AND ${where}`,
      values: { ...values, fold: foldReference(reference) },
    }
  }

  /** Includes void orders. */
  const findAllByReference = async (account: AccountId, reference: string): Promise<Entry[]> =>
    (await selectEntries(selectByFold(account, reference))).filter((entry) =>
      isSameReference(entry.reference ?? '', reference),
    )

  return {
    findAllByReference,

    findByReference: async ({ account }: Pick<Owner, 'account'>, reference: string): Promise<Entry[]> =>
      (await findAllByReference(account, reference)).filter((entry) => !isNeverCreated(entry)),

    /**
     * Another order with this reference that is confirmed, or may still be. `known` is undefined for an order that is not in
     * the journal.
     */
    findRival: async (
      account: AccountId,
      reference: string,
      known: Pick<Entry, 'number' | 'batch'> | undefined,
    ): Promise<Entry | undefined> => {
      const number = known?.number
      for (const other of await findAllByReference(account, reference)) {
        if (other.number === number || other.duplicate === 1) continue
        if (isUnprovenOrder(other)) return other
        // The order to confirm would not count against the cap of the batch, which buys the cards itself.
        if (known?.batch === undefined && other.batch !== undefined) return other
        if (!isHolding(other)) continue
        if (other.standing === 'confirmed' || number === undefined || other.number > number) return other
      }
      return undefined
    },

    /** References that differ from this one only in case, spaces or invisible characters. */
    findSimilarReferences: async (account: AccountId, reference: string): Promise<string[]> => {
      const { where, values } = selectByFold(account, reference)
      const holders = await selectEntries({ where: `${where} AND ${holdingCondition}`, values })
      const similar = holders.flatMap((entry) => entry.reference ?? [])
      return [...new Set(similar)].filter((each) => !isSameReference(each, reference))
    },
  }
}
