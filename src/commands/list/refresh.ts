// list --refresh: asks the service for every order that may still change, account by account.

import { accountOf, findProfilesOf, profilesOf, type SessionOptions } from '../../app/account.ts'
import { ownerOf, sandboxOwner } from '../../app/journal/place.ts'
import { openSession } from '../../app/session.ts'
import type { Context } from '../../context.ts'
import { type AccountId, isSameAccount } from '../../contract/account-id.ts'
import type { Clock } from '../../contract/time.ts'
import { exitCodes, Failure } from '../../errors.ts'
import { getAccount } from '../../journal/accounts.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import { isFinished } from '../../journal/orders/standings.ts'
import { reconcileAll } from '../../operations/reconcile.ts'
import { sandbox } from '../../profiles/profile.ts'
import { sanitize } from '../../ui/terminal/text.ts'

type RefreshWork = {
  readonly journal: Journal
  readonly clock: Clock
  readonly entries: readonly Entry[]
  readonly options: SessionOptions
}

type OnFailure = (failure: Failure, subject?: string) => void

/** Returns the exit code. Warns at once why orders are not refreshed. */
export const refresh = async (context: Context, work: RefreshWork): Promise<number> => {
  const failures: Failure[] = []
  const open = work.entries.filter((entry) => !isFinished(entry))
  for (const [account, entries] of Map.groupBy(open, (entry) => entry.account)) {
    const name = sanitize(entries[0]?.profile ?? '')
    const onFailure: OnFailure = (failure, subject = `the orders of ${name} were`) => {
      failures.push(failure)
      context.stderr.warn(`${subject} not refreshed: ${sanitize(failure.message)}`)
    }
    await refreshAccount(context, account, { ...work, entries, onFailure }).catch((error) => {
      if (!(error instanceof Failure) || context.interrupted.aborted) throw error
      onFailure(error)
    })
  }
  const [first] = failures
  return first === undefined ? exitCodes.ok.code : exitCodes[first.kind].code
}

const refreshAccount = async (
  context: Context,
  account: number,
  { journal, clock, entries, options, onFailure }: RefreshWork & { onFailure: OnFailure },
): Promise<void> => {
  const id = await getAccount(journal.read, account)
  const profile = id && (await findProfile(context, id, options))
  if (profile === undefined) throw new Failure('no-account', 'no profile points to their account')
  const isChosenHere = profile !== '' && options.profile === undefined
  const named = { ...options, profile: profile === '' ? undefined : profile }
  await using opened = await openSession(context, named, await accountOf(context, named, { isChosenHere }))
  // The profile may have another journal, in which the number of an entry is that of another order.
  const session = { ...opened, journal, clock }
  let done = 0
  const { end } = session.waiting.begin(
    () => `asking for the orders of ${sanitize(session.owner.profile)}: ${done} of ${entries.length}`,
  )
  await reconcileAll(session, entries, ({ problem, entry: { orderId = '' } }) => {
    done += 1
    if (problem !== undefined && !context.interrupted.aborted)
      onFailure(problem, `the order ${sanitize(orderId)} was`)
  }).finally(end)
}

/** The name of a profile that points to the account, or '' for the account in use. */
const findProfile = async (
  context: Context,
  id: AccountId,
  options: SessionOptions,
): Promise<string | undefined> => {
  if (isSameAccount(id, sandboxOwner.account)) return sandbox
  // Without an account in use, a profile may still point there.
  const inUse = await accountOf(context, { ...options, profile: undefined }, { needsKey: false }).catch(
    () => undefined,
  )
  if (inUse !== undefined && isSameAccount(id, ownerOf(inUse).account)) return ''
  return findProfilesOf(profilesOf(context).list(), id)[0]?.name
}
