// orderctl reconcile: settles what is open or unknown, and says what a person must decide. Never spends.
import type { Context } from '../context.ts'
import { shellWord } from '../contract/shell-word.ts'
import { Failure } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { ownStandings } from '../journal/entry.ts'
import type { Spending } from '../operations/deps.ts'
import { findEntries } from '../operations/find-order.ts'
import { type Reconciled, reconcileAll } from '../operations/reconcile.ts'
import { environmentName } from '../profiles/profile.ts'
import { nextStep, type ReconciledRow, reconciledText } from '../ui/reconciled.ts'
import { safeText } from '../ui/safe-text.ts'
import { entryData } from './entry-data.ts'
import { openSession, type SessionFlags, sayWhere, spending } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { viewOf } from './view-of.ts'

export type ReconcileFlags = SessionFlags & ShowFlags

type Done = { readonly was: string; readonly reconciled: Reconciled }

export const reconcile = async (
  context: Context,
  named: string | undefined,
  flags: ReconcileFlags,
): Promise<number> => {
  const { show } = shower(context, flags)
  const session = await openSession(context, flags)
  try {
    sayWhere(context, session.account)
    const deps = await spending(session)
    const entries = named === undefined ? deps.journal.unfinished(deps.owner) : findEntries(deps, named)
    const done = new Map<number, Done>()
    const { end } = session.waiting.begin(() => `asking for orders: ${done.size} of ${entries.length}`)
    await reconcileAll(deps, entries, (reconciled, { number, standing }) =>
      done.set(number, { was: standing, reconciled }),
    ).finally(end)
    const all = entries.map(({ number }) => done.get(number)).filter((each) => each !== undefined)
    const view = viewOf(context)
    await show({
      data: () => all.map((each) => dataOf(each, view.now)),
      ids: all.map(({ reconciled }) => reconciled.entry.orderId).filter((id) => id !== undefined),
      screen: () => all.map((each) => reconciledText(rowOf(each), view)).join(''),
    })
    sayRest(context, deps, all.length)
    return exitCodeOf(all)
  } finally {
    await session.close()
  }
}

const rowOf = ({ was, reconciled }: Done): ReconciledRow => {
  const { entry, settlesAt, problem } = reconciled
  const { orderId, reference, standing } = entry
  return { orderId, reference, was, state: standing, settlesAt, problem: problem?.message }
}

const dataOf = (done: Done, now: number) => {
  const { was, problem } = rowOf(done)
  const next = nextStep(rowOf(done), now)
  return { ...entryData(done.reconciled.entry), was, ...(problem === undefined ? {} : { problem }), next }
}

const sayRest = ({ stderr }: Context, { journal, owner }: Spending, count: number): void => {
  if (count === 0) stderr.write('nothing is open\n')
  for (const { profile, origin, count: open } of journal.unknownElsewhere(owner)) {
    stderr.write(`${open} unknown of ${safeText(profile)}, at ${safeText(origin)}${howTo(profile, owner)}\n`)
  }
}

/** An address of before is reached by no profile. */
const howTo = (profile: string, owner: Spending['owner']): string => {
  if (profile === owner.profile) return ', where this profile was before'
  return profile === environmentName ? '' : `: orderctl reconcile --profile ${shellWord(safeText(profile))}`
}

/** Unknown is worse than a service that does not answer. */
const exitCodeOf = (all: readonly Done[]): number => {
  if (
    all.some(
      ({ reconciled: { open, entry } }) => open !== undefined || entry.standing === ownStandings.unknown,
    )
  ) {
    return exitCodes.unknown.code
  }
  const problem = all.map(({ reconciled }) => reconciled.problem).find((each) => each instanceof Failure)
  return problem === undefined ? exitCodes.ok.code : exitCodes[problem.kind].code
}
