// Finds the batch that an argument names, and opens it from the journal alone: no key is needed and nothing is sent.
import type { Context } from '../../context.ts'
import { lastWord } from '../../contract/order-words.ts'
import { Failure } from '../../errors.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/batches.ts'
import { openBatches } from '../../journal/batches/batches.ts'
import type { Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Account } from '../../profiles/account.ts'
import { accountOf } from '../shared/account.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { ownerOf } from '../shared/journal/place.ts'
import type { SendingSession } from '../shared/session.ts'
import type { RunOptions } from './buy-spec.ts'
import type { ShowOptions } from './spec.ts'

export type OpenedBatch = { readonly journal: Journal; readonly batches: Batches; readonly batch: Batch }

/** What the steps of `batch run` share. */
export type BatchToRun = OpenedBatch & {
  readonly context: Context
  readonly options: RunOptions
  readonly session: SendingSession
}

type Search = Pick<ShowOptions, 'batch' | 'profile' | 'noInput'> & {
  /** False if a read-only journal is enough. */
  readonly mayWrite: boolean
}

export const withBatch = async <Result>(
  context: Context,
  { batch: named, profile, noInput, mayWrite }: Search,
  work: (opened: OpenedBatch, account: Account) => Promise<Result>,
): Promise<Result> => {
  // Nothing is sent, so plain http does no harm.
  const account = await accountOf(context, { profile, allowHttp: true }, { needsKey: false })
  const journals = journalsOf(context, account, { noInput })
  try {
    const journal = await (mayWrite ? journals.openToWrite() : journals.openToRead())
    const owner = ownerOf(account)
    if (journal === undefined) throw createMissingFailure(named, owner.profile)
    const batches = openBatches(journal)
    const batch = await findBatch(batches, owner, named)
    return await work({ journal, batches, batch }, account)
  } finally {
    await journals.close()
  }
}

export const findBatch = async (
  batches: Batches,
  { account, profile }: Owner,
  text: string,
  createMissing: (text: string, profile: string) => Failure = createMissingFailure,
): Promise<Batch> => {
  const last = text === lastWord ? await batches.findLastBatch(account) : undefined
  const [only, ...others] = last === undefined ? await batches.findBatches(account, text) : [last]
  if (only !== undefined && others.length === 0) return only
  if (only !== undefined) {
    const names = [only, ...others].map(({ name }) => name)
    throw new Failure('usage', `${text} matches ${names.length} batches: ${names.join(', ')}`, {
      fix: 'Give the name of one batch.',
    })
  }
  const [elsewhere] = await batches.findOnAnyAccount(text)
  throw elsewhere === undefined
    ? createMissing(text, profile)
    : createElsewhereFailure(elsewhere, profile, text)
}

export const describeMissing = (text: string, profile: string): string =>
  `${text === lastWord ? 'you planned no batch' : `no batch '${text}'`} in this journal for the profile ${profile}`

const createMissingFailure = (text: string, profile: string): Failure =>
  new Failure('usage', describeMissing(text, profile), { fix: (suggest) => suggest`batch list` })

const createElsewhereFailure = (elsewhere: Batch, profile: string, text: string): Failure => {
  const batch = `the batch ${text} belongs to`
  return elsewhere.profile === profile
    ? new Failure(
        'usage',
        `${batch} an account at ${elsewhere.origin}, not to the account of the profile ${profile}`,
        { fix: 'Use the profile or the address with which you planned the batch.' },
      )
    : new Failure('usage', `${batch} the profile ${elsewhere.profile}, not to ${profile}`, {
        fix: (suggest) => `Add ${suggest.flags({ profile: elsewhere.profile })}`,
      })
}
