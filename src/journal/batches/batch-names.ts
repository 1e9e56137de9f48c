// Finds batches by name and the names of batches, without loading the tables of batches.

import { assistantPrefix, foldReference, isSameReference, lastWord } from '../../contract/order/reference.ts'
import type { Access } from '../access.ts'
import { findOwn, readAccountCondition, toNumbers } from '../accounts.ts'
import type { Values } from '../database/database.ts'
import { type Entry, type Owner, selectEntries } from '../orders/entries.ts'

/** The numbers of the batches with this name, or else this id. */
export const selectBatchNumbers = async (
  access: Access,
  text: string,
  condition: string,
  values: Values = {},
) => {
  if (text === lastWord) {
    const { isOwn, values: own } = findOwn(access)
    const where = `${condition} AND name NOT LIKE '${assistantPrefix}%' AND ${isOwn}`
    const last = `SELECT number FROM batches WHERE ${where} ORDER BY number DESC LIMIT 1`
    return toNumbers(await access.all(last, { ...values, ...own }))
  }
  const found = await access.all(
    `SELECT number, name, id FROM batches WHERE (name_fold = $fold OR id = $text) AND ${condition}`,
    { ...values, fold: foldReference(text), text },
  )
  const named = found.filter(({ name }) => isSameReference(String(name), text))
  return toNumbers(named.length > 0 ? named : found.filter(({ id }) => id === text))
}

/** On any account, or those of one profile. */
export const findBatchNumbers = (access: Access, text: string, profile: string | undefined) =>
  profile === undefined
    ? selectBatchNumbers(access, text, 'TRUE')
    : selectBatchNumbers(access, text, 'profile = $profile', { profile })

/** The orders of the batches with this name, or else this id. Undefined if there is no such batch. */
export const findByBatch = async (access: Access, { account }: Pick<Owner, 'account'>, text: string) => {
  const numbers = await selectBatchNumbers(access, text, await readAccountCondition(access, account))
  return numbers.length === 0
    ? undefined
    : selectEntries(access, { where: `batch IN (${numbers.join(', ')})` })
}

/** The batches of these orders, by number. */
export const findBatchNames = async ({ all }: Access, entries: readonly Pick<Entry, 'batch'>[]) => {
  const numbers = new Set(entries.map(({ batch }) => batch).filter(Number.isSafeInteger))
  if (numbers.size === 0) return new Map()
  const found = await all(`SELECT number, id, name FROM batches WHERE number IN (${[...numbers].join(', ')})`)
  return new Map(
    found.map(({ number, id, name }) => [Number(number), { id: String(id), name: String(name) }]),
  )
}
