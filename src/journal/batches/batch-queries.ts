// Finds the orders of batches without loading the tables of batches.
import { foldReference, isSameReference } from '../../contract/reference.ts'
import type { AccountTable } from '../accounts.ts'
import type { Statements, Values } from '../database/database.ts'
import type { Entry, Owner } from '../entry.ts'
import type { SelectEntries } from '../select-entries.ts'

const lastWord = '@last'

type Parts = {
  readonly selectEntries: SelectEntries
  readonly accounts: AccountTable
  readonly findLastBatchNumber: (condition: string, values?: Values) => Promise<number | undefined>
}

export const createBatchQueries = (
  { all }: Statements,
  { selectEntries, accounts, findLastBatchNumber }: Parts,
) => {
  /** The numbers of the batches that have this name, or else this id. */
  const findNumbers = async (
    text: string,
    condition: string,
    values: Record<string, string> = {},
  ): Promise<number[]> => {
    if (text === lastWord) {
      const last = await findLastBatchNumber(condition, values)
      return last === undefined ? [] : [last]
    }
    const found = await all(
      `SELECT number, name, id FROM batches WHERE (name_fold = $fold OR id = $text) AND ${condition}`,
      { ...values, fold: foldReference(text), text },
    )
    const named = found.filter(({ name }) => isSameReference(String(name), text))
    return (named.length > 0 ? named : found.filter(({ id }) => id === text)).map(({ number }) =>
      Number(number),
    )
  }

  return {
    /** Newest first. Undefined if the account has no such batch. */
    findByBatch: async ({ account }: Pick<Owner, 'account'>, text: string): Promise<Entry[] | undefined> => {
      const numbers = await findNumbers(text, await accounts.createCondition(account))
      return numbers.length === 0 ? undefined : selectEntries({ where: `batch IN (${numbers.join(', ')})` })
    },

    /** On any account, or those of one profile. */
    findBatchNumbers: (text: string, profile: string | undefined): Promise<number[]> =>
      profile === undefined
        ? findNumbers(text, 'TRUE')
        : findNumbers(text, 'profile = $profile', { profile }),

    /** The names of the batches of these orders, by number. */
    findBatchNames: async (entries: readonly Entry[]): Promise<ReadonlyMap<number, string>> => {
      const numbers = new Set(entries.map(({ batch }) => batch).filter(Number.isSafeInteger))
      if (numbers.size === 0) return new Map()
      const found = await all(`SELECT number, name FROM batches WHERE number IN (${[...numbers].join(', ')})`)
      return new Map(found.map(({ number, name }) => [Number(number), String(name)]))
    },
  }
}
