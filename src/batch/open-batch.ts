// Finds the batch that an argument names, and opens it from the journal alone: no key is needed and nothing is sent. Also the
// face value of a plan by currency, if the currencies of the products are known.

import { accountWithoutKey } from '../app/account.ts'
import { journalsOf, ownerOf } from '../app/journals.ts'
import type { SendingSession } from '../app/open-to-send.ts'
import { readProductList } from '../app/product-list.ts'
import type { Context } from '../context.ts'
import { type Decimal, decimal, formatDecimal, roundUpToLimit, sum } from '../contract/money/decimal.ts'
import { lastWord } from '../contract/order/reference.ts'
import { Failure } from '../errors.ts'
import { type Batch, findBatches, findBatchesOnAnyAccount } from '../journal/batches/batches.ts'
import type { Journal } from '../journal/journal.ts'
import type { Owner } from '../journal/orders/entries.ts'
import type { BatchRow } from '../operations/batch-limits.ts'
import type { Account } from '../profiles/account.ts'
import type { FaceValue } from './screens/batches.ts'
import type { RunOptions, ShowOptions } from './spec.ts'
import { reportRows } from './summary.ts'

export type OpenedBatch = { readonly journal: Journal; readonly batch: Batch }

/** What the steps of `batch run` share. */
export type BatchToRun = OpenedBatch & {
  readonly context: Context
  readonly options: RunOptions
  readonly session: SendingSession
}

export const withBatch = async <Result>(
  context: Context,
  { batch: named, profile, noInput }: Pick<ShowOptions, 'batch' | 'profile' | 'noInput'>,
  open: 'openExisting' | 'openOrCreate',
  work: (opened: OpenedBatch, account: Account) => Promise<Result>,
): Promise<Result> => {
  const account = await accountWithoutKey(context, profile)
  await using journals = journalsOf(context, account, { noInput })
  const journal = await journals[open]()
  const owner = ownerOf(account)
  return await work({ journal, batch: await findBatch(journal, owner, named) }, account)
}

export const findBatch = async (
  journal: Journal,
  { account, profile }: Owner,
  text: string,
  createMissing: (text: string, profile: string) => Failure = createMissingFailure,
): Promise<Batch> => {
  const found = await findBatches(journal.read, account, text)
  if (found.length > 1) {
    const names = found.map(({ name }) => name)
    throw new Failure('usage', `${text} matches ${names.length} batches: ${names.join(', ')}`, {
      advice: 'Give the name of one batch.',
    })
  }
  const [batch] = found
  if (batch !== undefined) return batch
  const [elsewhere] = await findBatchesOnAnyAccount(journal.read, text)
  if (elsewhere === undefined) throw createMissing(text, profile)
  const { profile: other, origin } = elsewhere
  throw new Failure('usage', `the batch ${text} belongs to the profile ${other} at ${origin}`, {
    advice: (suggest) =>
      other === profile
        ? 'Use the address with which you planned the batch.'
        : `Add ${suggest.flags({ profile: other })}`,
  })
}

export const describeMissing = (text: string, profile: string): string =>
  `${text === lastWord ? 'you planned no batch' : `no batch '${text}'`} in this journal for the profile ${profile}`

const createMissingFailure = (text: string, profile: string): Failure =>
  new Failure('usage', describeMissing(text, profile), { fix: (suggest) => suggest`batch list` })

export const findFaceValues = async (context: Context, account: Account, rows: readonly BatchRow[]) => {
  const list = await readProductList(context, account, 'the currencies of its products are not known')
  const byCurrency = Map.groupBy(rows, ({ sku }) => list?.products.get(sku)?.price.currency)
  const worthOf = ({ quote, quantity }: BatchRow): Decimal => decimal(quote).times(decimal(String(quantity)))
  return [...byCurrency].map(([currency, theirs]) => ({ amount: sum(theirs.map(worthOf)), currency }))
}

/** As much as a cap needs. Undefined if not all products have the currency of the wallet. */
export const findFaceValueIn = (wallet: string, faceValues: readonly FaceValue[]): Decimal | undefined => {
  const [only, ...others] = faceValues
  return others.length === 0 && only?.currency === wallet ? roundUpToLimit(only.amount) : undefined
}

/** What all open cards need, if the batch stopped at its cap. `faceValue`: as findFaceValueIn returns it. */
export const adviseRest = async ({ journal, batch }: OpenedBatch, spent: Decimal, faceValue?: Decimal) => {
  if (batch.stopped !== 'cap' || faceValue === undefined) return []
  const open = (await reportRows(journal.read, batch)).flatMap(({ quote, cards }) =>
    cards.filter(({ state }) => state === 'open').map(() => decimal(quote)),
  )
  const cap = formatDecimal(roundUpToLimit(spent.plus(sum(open))))
  return [`All open cards need --max-total ${cap} at face value.`]
}
