// Finds the batch that an argument names: its name, its id, or `@last`.
import { Failure } from '../../errors.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/open-batches.ts'
import type { Owner } from '../../journal/entry.ts'
import { quoteShellWord } from '../../text/shell-word.ts'

const lastWord = '@last'

export const findBatch = async (
  batches: Batches,
  { account, profile }: Owner,
  text: string,
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
  throw createMissingFailure(elsewhere, profile, text)
}

const createMissingFailure = (elsewhere: Batch | undefined, profile: string, text: string): Failure => {
  if (elsewhere === undefined) {
    return new Failure(
      'usage',
      `${text === lastWord ? 'you planned no batch' : `no batch '${text}'`} in this journal for the profile ${profile}`,
      { fix: 'orderctl batch list' },
    )
  }
  const batch = `the batch ${text} belongs to`
  return elsewhere.profile === profile
    ? new Failure(
        'usage',
        `${batch} an account at ${elsewhere.origin}, not to the account of the profile ${profile}`,
        {
          fix: 'Use the profile or the address with which you planned the batch.',
        },
      )
    : new Failure('usage', `${batch} the profile ${elsewhere.profile}, not to ${profile}`, {
        fix: `Add --profile ${quoteShellWord(elsewhere.profile)}`,
      })
}
