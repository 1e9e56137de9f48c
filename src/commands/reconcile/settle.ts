// reconcile --settle: records a user's decision about an outcome that cannot be proven.
import type { Context } from '../../context.ts'
import { needsJournal } from '../../contract/order-words.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Entry } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { findEntries } from '../../operations/find-order.ts'
import { settleByHand } from '../../operations/reconcile.ts'
import type { Suggest } from '../../text/suggest.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { ownerOf } from '../shared/journal/owner-of.ts'
import { findListedAccount } from '../shared/listed-account.ts'
import type { OutputOptions, SessionOptions } from '../shared/options.ts'
import { refuseElsewhere } from '../shared/order-ids.ts'
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
  decision: Decision,
  { session, output }: Options,
): Promise<number> => {
  const journals = journalsOf(context, await findListedAccount(context, session.profile), session)
  try {
    const journal = await journals.openToWrite()
    const entry = await findToSettle(context, { journal, decision, session })
    const { isSpent, reason } = decision
    const by = context.user()
    const reconciled = await settleByHand({ journal, clock: journals.clock }, entry, { isSpent, by, reason })
    await printAll(context, [{ was: entry.state, reconciled }], { journal, owner: undefined }, output)
    return exitCodes.ok.code
  } finally {
    await journals.close()
  }
}

type Search = {
  readonly journal: Journal
  readonly decision: Decision
  readonly session: SessionOptions
}

const findToSettle = async (context: Context, search: Search): Promise<Entry> => {
  try {
    return await findOnAccount(context, search)
  } catch (error) {
    // Without an account in use, for example after its profile was removed, an id is found on every account.
    const isUnselected = error instanceof Failure && error.kind === 'credentials'
    const [only, ...others] = isUnselected ? await search.journal.findOnAnyAccount(search.decision.named) : []
    if (only !== undefined && others.length === 0) return only
    throw error
  }
}

/** Refuses the order of another account, unless the user named the profile. */
const findOnAccount = async (
  context: Context,
  { journal, decision: { named, isSpent, reason }, session }: Search,
): Promise<Entry> => {
  // Nothing is sent, so a missing key or plain http does not matter.
  const owner = ownerOf(await accountOf(context, { ...session, allowHttp: true }, { needsKey: false }))
  const flags = { settle: isSpent ? 'spent' : 'not-spent', reason }
  const write = (suggest: Suggest, id: string): string => suggest`reconcile ${id} ${flags}`
  if (session.profile === undefined && !needsJournal(named))
    await refuseElsewhere(context, journal, { owner, write, id: named })
  const [entry, ...others] = await findEntries({ journal, owner }, named)
  if (entry !== undefined && others.length === 0) return entry
  throw new Failure('usage', `${named} matches ${others.length + 1} orders`, {
    fix: 'Use the id of one order.',
  })
}
