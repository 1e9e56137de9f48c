// Opens the batch that an argument names, from the journal alone: no key is needed and nothing is sent.
import type { Context } from '../../context.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/batches.ts'
import { openBatches } from '../../journal/batches/open-batches.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Account } from '../../profiles/account.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { ownerOf } from '../shared/journal/owner-of.ts'
import { accountOf } from '../shared/session.ts'
import { createMissingFailure, findBatch } from './find-batch.ts'
import type { ShowOptions } from './spec.ts'

export type OpenedBatch = { readonly journal: Journal; readonly batches: Batches; readonly batch: Batch }

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
