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
import { accountOf } from '../shared/account.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { ownerOf } from '../shared/journal/place.ts'
import { findListedAccount } from '../shared/listed-account.ts'
import { outputOf } from '../shared/options.ts'
import { refuseElsewhere } from '../shared/order-ids.ts'
import { printAll } from './print.ts'
import type { ReconcileOptions } from './spec.ts'

/** Makes no call, because the key may be revoked and the service may be gone. */
export const settle = async (
  context: Context,
  named: string,
  decision: 'spent' | 'not-spent',
  options: ReconcileOptions,
): Promise<number> => {
  const { reason = '', profile } = options
  const journals = journalsOf(context, await findListedAccount(context, profile), options)
  try {
    const journal = await journals.openToWrite()
    const entry = await findToSettle(context, { journal, named, options })
    const reconciled = await settleByHand({ journal, clock: journals.clock }, entry, {
      isSpent: decision === 'spent',
      by: context.user(),
      reason,
    })
    const result = { was: entry.state, reconciled }
    await printAll(context, [result], { journal, owner: undefined }, outputOf(options))
    return exitCodes.ok.code
  } finally {
    await journals.close()
  }
}

type Search = {
  readonly journal: Journal
  readonly named: string
  readonly options: ReconcileOptions
}

const findToSettle = async (context: Context, search: Search): Promise<Entry> => {
  try {
    return await findOnAccount(context, search)
  } catch (error) {
    // Without an account in use, for example after its profile was removed, an id is found on every account.
    const isUnselected = error instanceof Failure && error.kind === 'credentials'
    const [only, ...others] = isUnselected ? await search.journal.findOnAnyAccount(search.named) : []
    if (only !== undefined && others.length === 0) return only
    throw error
  }
}

/** Refuses the order of another account, unless the user named the profile. */
const findOnAccount = async (
  context: Context,
  { journal, named, options: { profile, settle, reason } }: Search,
): Promise<Entry> => {
  // Nothing is sent, so a missing key or plain http does not matter.
  const owner = ownerOf(await accountOf(context, { profile, allowHttp: true }, { needsKey: false }))
  const write = (suggest: Suggest, id: string): string => suggest`reconcile ${id} ${{ settle, reason }}`
  if (profile === undefined && !needsJournal(named))
    await refuseElsewhere(context, journal, { owner, write, id: named })
  const found = await findEntries({ journal, owner }, named)
  const [entry] = found
  if (entry !== undefined && found.length === 1) return entry
  throw new Failure('usage', `${named} matches ${found.length} orders`, {
    fix: 'Use the id of one order.',
  })
}
