// Fetches what is not final, account by account, for a list that is up to date.
import type { Context } from '../context.ts'
import { Failure } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Entry, isOver } from '../journal/entry.ts'
import { reconcileAll } from '../operations/reconcile.ts'
import { environmentName } from '../profiles/profile.ts'
import { safeText } from '../ui/safe-text.ts'
import { openSession, type SessionFlags, spending } from './session.ts'

/** The exit code: one that cannot be asked is said, and listed as it is known. */
export const refresh = async (
  context: Context,
  flags: SessionFlags,
  entries: readonly Entry[],
): Promise<number> => {
  const failures: Failure[] = []
  const open = entries.filter(({ standing }) => !isOver(standing))
  for (const [profile, theirs] of Map.groupBy(open, (entry) => entry.profile)) {
    const missed = (failure: Failure): void => {
      failures.push(failure)
      context.stderr.write(
        `warning: the orders of ${safeText(profile)} were not refreshed: ${safeText(failure.message)}\n`,
      )
    }
    try {
      await refreshAccount(context, flags, { profile, theirs, missed })
    } catch (error) {
      if (!(error instanceof Failure) || context.interrupted.aborted) throw error
      missed(error)
    }
  }
  const [first] = failures
  return first === undefined ? exitCodes.ok.code : exitCodes[first.kind].code
}

type Work = {
  readonly profile: string
  readonly theirs: readonly Entry[]
  readonly missed: (failure: Failure) => void
}

const refreshAccount = async (
  context: Context,
  { timeout, allowHttp, debug, json, quiet }: SessionFlags,
  { profile, theirs, missed }: Work,
): Promise<void> => {
  const call = Object.fromEntries(
    Object.entries({ timeout, allowHttp, debug, json, quiet }).filter(([, value]) => value !== undefined),
  )
  const session = await openSession(context, { ...call, ...(profile === environmentName ? {} : { profile }) })
  try {
    const { owner } = session
    const here = theirs.filter(({ origin }) => owner.profile === profile && owner.origin === origin)
    let done = 0
    const deps = await spending(session)
    const { end } = session.waiting.begin(
      () => `asking for the orders of ${safeText(profile)}: ${done} of ${here.length}`,
    )
    await reconcileAll(deps, here, ({ problem }) => {
      done += 1
      if (problem !== undefined) missed(problem)
    }).finally(end)
    const others = theirs.length - here.length
    if (others > 0) missed(new Failure('usage', `${others} of them are of another address`))
  } finally {
    await session.close()
  }
}
