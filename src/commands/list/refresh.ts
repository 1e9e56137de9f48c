// list --refresh: asks the service for every order that may still change, account by account.
import type { Context } from '../../context.ts'
import { type AccountId, accountIdOf, isSameAccount } from '../../contract/account-id.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type Entry, isOver } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { reconcileAll } from '../../operations/reconcile.ts'
import { sandbox } from '../../profiles/profile.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { ownerOf, sandboxOwner } from '../shared/owner-of.ts'
import { profilesOf } from '../shared/profiles-of.ts'
import { accountOf, openSession, type SessionFlags, spending } from '../shared/session.ts'

type Work = { readonly journal: Journal; readonly entries: readonly Entry[]; readonly flags: SessionFlags }

/** The exit code. An account that cannot be asked is named, and its orders are listed as they are known. */
export const refresh = async (context: Context, { journal, entries, flags }: Work): Promise<number> => {
  const failures: Failure[] = []
  const open = entries.filter(({ standing }) => !isOver(standing))
  for (const [account, theirs] of Map.groupBy(open, (entry) => entry.account)) {
    const onFailure = (failure: Failure): void => {
      failures.push(failure)
      const name = safeText(theirs[0]?.profile ?? '')
      context.stderr.write(
        `warning: the orders of ${name} were not refreshed: ${safeText(failure.message)}\n`,
      )
    }
    try {
      const id = journal.accountOf(account)
      const profile = id && (await profileTo(context, id, flags))
      if (profile === undefined)
        throw new Failure('credentials', 'no profile leads to their account any more')
      await refreshAccount(context, { profile, entries: theirs, flags, onFailure })
    } catch (error) {
      if (!(error instanceof Failure) || context.interrupted.aborted) throw error
      onFailure(error)
    }
  }
  const [first] = failures
  return first === undefined ? exitCodes.ok.code : exitCodes[first.kind].code
}

/** What leads to the account: a profile's name, or '' for the account in use; undefined if nothing does. */
const profileTo = async (
  context: Context,
  id: AccountId,
  flags: SessionFlags,
): Promise<string | undefined> => {
  if (isSameAccount(id, sandboxOwner.account)) return sandbox
  const inUse = await accountInUse(context, flags)
  if (inUse !== undefined && isSameAccount(id, inUse)) return ''
  return profilesOf(context)
    .list()
    .find(({ baseUrl, account }) => isSameAccount(id, accountIdOf(baseUrl, account)))?.name
}

const accountInUse = async (
  context: Context,
  { allowHttp }: SessionFlags,
): Promise<AccountId | undefined> => {
  try {
    const flags = allowHttp === undefined ? {} : { allowHttp }
    return ownerOf(await accountOf(context, flags, { needsKey: false })).account
  } catch {
    // Without an account in use, a profile may still lead there.
    return undefined
  }
}

type AccountWork = {
  readonly profile: string
  readonly entries: readonly Entry[]
  readonly flags: SessionFlags
  readonly onFailure: (failure: Failure) => void
}

const refreshAccount = async (
  context: Context,
  { profile, entries, flags, onFailure }: AccountWork,
): Promise<void> => {
  const { timeout, allowHttp, debug, json, quiet } = flags
  const given = Object.entries({ timeout, allowHttp, debug, json, quiet })
  const kept = Object.fromEntries(given.filter(([, value]) => value !== undefined))
  const isChosenHere = profile !== '' && flags.profile === undefined
  const named = { ...kept, ...(profile === '' ? {} : { profile }) }
  const session = await openSession(context, named, await accountOf(context, named, { isChosenHere }))
  try {
    let done = 0
    const deps = await spending(session)
    const { end } = session.waiting.begin(
      () => `asking for the orders of ${safeText(session.owner.profile)}: ${done} of ${entries.length}`,
    )
    await reconcileAll(deps, entries, ({ problem }) => {
      done += 1
      if (problem !== undefined) onFailure(problem)
    }).finally(end)
  } finally {
    await session.close()
  }
}
