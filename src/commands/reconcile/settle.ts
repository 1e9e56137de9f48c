// reconcile --settle: records a user's decision about an outcome that cannot be proven.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Entry } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { findEntries, needsJournal } from '../../operations/find-order.ts'
import { settleByHand } from '../../operations/reconcile.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { ownerOf } from '../shared/journal/owner-of.ts'
import { findListedAccount } from '../shared/listed-account.ts'
import type { OutputOptions, SessionOptions } from '../shared/options.ts'
import { accountOf } from '../shared/session.ts'
import type { ReconcileFlags } from './flags.ts'
import { printAll } from './print.ts'

export type Decision = { readonly named: string; readonly isSpent: boolean; readonly reason: string }

export const readDecision = (
  named: string | undefined,
  { settle, reason }: ReconcileFlags,
): Decision | undefined => {
  const refused = (message: string): Failure =>
    new Failure('usage', message, {
      fix: (suggest) =>
        `${suggest`reconcile ORDER --settle spent --reason TEXT`}, or ${suggest`reconcile ORDER --settle not-spent --reason TEXT`}`,
    })
  if (settle === undefined) {
    if (reason !== undefined) throw refused('--reason needs --settle')
    return undefined
  }
  if (settle !== 'spent' && settle !== 'not-spent') {
    throw refused(`--settle is ${JSON.stringify(settle)}; allowed: spent, not-spent`)
  }
  if (named === undefined) throw refused('--settle needs an order')
  if (reason === undefined || reason.trim() === '') throw refused('--settle needs --reason')
  return { named, isSpent: settle === 'spent', reason }
}

type Options = { readonly session: SessionOptions; readonly output: OutputOptions }

/** Makes no call, because the key may be revoked and the service may be gone. */
export const settle = async (
  context: Context,
  { named, isSpent, reason }: Decision,
  { session, output }: Options,
): Promise<number> => {
  const journals = journalsOf(context, await findListedAccount(context, session.profile), session)
  try {
    const journal = await journals.openToWrite()
    const entry = await findToSettle(context, { journal, named, options: session })
    const reconciled = await settleByHand({ journal, clock: journals.clock }, entry, {
      isSpent,
      by: context.user(),
      reason,
    })
    await printAll(context, [{ was: entry.state, reconciled }], { journal, owner: undefined }, output)
    return exitCodes.ok.code
  } finally {
    await journals.close()
  }
}

type Search = { readonly journal: Journal; readonly named: string; readonly options: SessionOptions }

/** An id is found on every account, even if no profile points to its account any more. */
const findToSettle = async (context: Context, { journal, named, options }: Search): Promise<Entry> => {
  if (!needsJournal(named) && options.profile === undefined) {
    const [only, ...others] = await journal.findOnAnyAccount(named)
    if (only !== undefined && others.length === 0) return only
  }
  const owner = ownerOf(await accountOf(context, options, { needsKey: false }))
  const [entry, ...others] = await findEntries({ journal, owner }, named)
  if (entry !== undefined && others.length === 0) return entry
  throw new Failure('usage', `${named} matches ${others.length + 1} orders`, {
    fix: 'Use the id of one order.',
  })
}
