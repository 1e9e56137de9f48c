// Finds the journal that `orderctl journal` is about, and opens its database.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import type { Postgres } from '../../postgres/open.ts'
import { type Account, resolveAccount } from '../../profiles/account.ts'
import { openSharedDatabase } from '../shared/journal/open-shared.ts'
import { chooseJournal, type JournalPlace, type SharedPlace } from '../shared/journal/place.ts'
import { canPrompt } from '../shared/options.ts'
import { profilesOf } from '../shared/profiles.ts'

type Flags = { readonly profile?: string | undefined; readonly noInput?: boolean }

export const findJournal = (context: Context, { profile }: Flags): JournalPlace =>
  chooseJournal(context, findAccount(context, profile))

/** Undefined if there is none: the journal does not depend on it then. Opens no journal, because that may update it. */
export const findAccount = (context: Context, profileName: string | undefined): Account | undefined => {
  const { environment } = context
  try {
    const account = resolveAccount({
      environment,
      profileName,
      allowHttp: true,
      needsKey: false,
      profiles: () => profilesOf(context),
      runCommand: async () => '',
      readStoredKey: async () => '',
      onWarning: () => {},
    })
    // ORDERCTL_JOURNAL counts before a profile is added, too.
    return account.kind === 'sandbox' && profileName === undefined ? undefined : account
  } catch (error) {
    if (error instanceof Failure && profileName === undefined) return undefined
    throw error
  }
}

/** Closes the database after the work. */
export const withDatabase = async <Result>(
  context: Context,
  place: SharedPlace,
  options: Flags,
  work: (postgres: Postgres) => Promise<Result>,
): Promise<Result> => {
  const postgres = await openSharedDatabase(context, place, { asks: canPrompt(context, options) })
  try {
    return await work(postgres)
  } finally {
    await postgres.close()
  }
}
