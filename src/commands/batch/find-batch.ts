// Finds the batch that an argument names: its name, its id, or `@last`.
import { lastWord } from '../../contract/order-words.ts'
import { Failure } from '../../errors.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/batches.ts'
import type { Owner } from '../../journal/entry.ts'

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

export const createMissingFailure = (text: string, profile: string): Failure =>
  new Failure('usage', describeMissing(text, profile), { fix: (suggest) => suggest`batch list` })

const createElsewhereFailure = (elsewhere: Batch, profile: string, text: string): Failure => {
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
        fix: (suggest) => `Add ${suggest.flags({ profile: elsewhere.profile })}`,
      })
}
