// Finds the batch that an argument names: its name, its id, or `@last`.
import { Failure } from '../../errors.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/open-batches.ts'
import type { Owner } from '../../journal/entry.ts'
import { quoteShellWord } from '../../text/shell-word.ts'

const lastWord = '@last'

export const findBatch = (batches: Batches, { account, profile }: Owner, text: string): Batch => {
  const last = text === lastWord ? batches.findLastBatch(account) : undefined
  const [only, ...others] = last === undefined ? batches.findBatches(account, text) : [last]
  if (only !== undefined && others.length === 0) return only
  if (only !== undefined) {
    const names = [only, ...others].map(({ name }) => name)
    throw new Failure('usage', `${text} matches ${names.length} batches: ${names.join(', ')}`, {
      fix: 'Give the name of one batch.',
    })
  }
  const elsewhere = batches.findOnAnyAccount(text)[0]
  throw new Failure(
    'usage',
    elsewhere === undefined
      ? `no batch ${text === lastWord ? '' : `'${text}' `}in this journal for the profile ${profile}`
      : `the batch '${text}' belongs to the profile ${elsewhere.profile}, not to ${profile}`,
    {
      fix:
        elsewhere === undefined
          ? 'orderctl batch list'
          : `Add --profile ${quoteShellWord(elsewhere.profile)}`,
    },
  )
}
