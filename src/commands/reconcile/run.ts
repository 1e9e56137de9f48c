// The steps of `orderctl reconcile`: asks the service about unsettled orders, or records a user's decision.
import type { Context } from '../../context.ts'
import { namesBatch, needsJournal } from '../../contract/order-words.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Entry } from '../../journal/entry.ts'
import { isFinished } from '../../journal/standings.ts'
import { findEntries } from '../../operations/find-order.ts'
import { reconcileAll } from '../../operations/reconcile.ts'
import type { Session } from '../../operations/session.ts'
import { environmentName } from '../../profiles/profile.ts'
import type { Suggest } from '../../text/suggest.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { describeCount } from '../../ui/text/amounts.ts'
import { printAccount } from '../shared/account.ts'
import { writeNote } from '../shared/notes.ts'
import { outputOf } from '../shared/options.ts'
import { refuseElsewhere } from '../shared/order-ids.ts'
import { openSession, openToSend } from '../shared/session.ts'
import { findFailure, printAll, type Result } from './print.ts'
import { settle } from './settle.ts'
import type { ReconcileOptions } from './spec.ts'

/** Returns the exit code, or throws why an order could not be checked or settled. */
export const reconcile = async (context: Context, options: ReconcileOptions): Promise<number> => {
  const { settle: decision } = options
  const named = options.order?.trim()
  return named === undefined || decision === undefined
    ? askService(context, named, options)
    : settle(context, named, decision, options)
}

const askService = async (
  context: Context,
  named: string | undefined,
  options: ReconcileOptions,
): Promise<number> => {
  const opened = await openSession(context, options)
  try {
    printAccount(context, opened.account)
    const session = await openToSend(context, opened, { spends: false })
    const entries = await findUnsettled(context, session, named)
    const done = new Map<number, Result>()
    const { end } = session.waiting.begin(() => `asking for orders: ${done.size} of ${entries.length}`)
    await reconcileAll(session, entries, (reconciled, { number, state }) =>
      done.set(number, { was: state, reconciled }),
    ).finally(end)
    const all = entries.map(({ number }) => done.get(number)).filter((each) => each !== undefined)
    const rows = await printAll(context, all, session, outputOf(options))
    await printRest(context, session, named, all.length)
    const problems = all.map(({ reconciled }) => reconciled.problem).filter((each) => each !== undefined)
    const printsSteps = !options.json && !options.quiet
    const failure = findFailure(rows, problems, { named, now: context.clock.now(), printsSteps })
    if (failure !== undefined) throw failure
    return exitCodes.ok.code
  } finally {
    await opened.close()
  }
}

/** A single order is asked for even if it is settled. */
const findUnsettled = async (
  context: Context,
  session: Session,
  named: string | undefined,
): Promise<Entry[]> => {
  const { journal, owner } = session
  if (named === undefined) return journal.findUnfinished(owner)
  const write = (suggest: Suggest, id: string): string => suggest`reconcile ${id}`
  if (!needsJournal(named)) await refuseElsewhere(context, journal, { owner, write, id: named })
  const found = await findEntries(session, named)
  return namesBatch(named) ? found.filter((entry) => !isFinished(entry)) : found
}

const printRest = async (
  { stderr, suggest }: Context,
  { journal, owner }: Session,
  named: string | undefined,
  count: number,
): Promise<void> => {
  if (count === 0) writeNote({ stderr }, `Every order of ${sanitize(named ?? 'this account')} is settled.\n`)
  for (const { profile, origin, count: open } of await journal.countUnknownElsewhere(owner)) {
    writeNote(
      { stderr },
      `The outcome of ${describeCount(open, 'order')} of ${sanitize(profile)}, at ${sanitize(origin)}, is unknown.${formatCheck(suggest, profile, owner)}\n`,
    )
  }
}

const formatCheck = (suggest: Suggest, profile: string, owner: Session['owner']): string =>
  profile === owner.profile || profile === environmentName
    ? ''
    : ` Check: ${suggest.onProfile(profile)`reconcile`}`
