// The steps of `orderctl reconcile`: asks the service about unsettled orders, or records a user's decision about an outcome
// that cannot be proven.

import { accountWithoutKey, findListedAccount, printAccount } from '../../app/account.ts'
import { findEntries, refuseElsewhere } from '../../app/find-orders.ts'
import { journalsOf } from '../../app/journal/open-journal.ts'
import { ownerOf } from '../../app/journal/place.ts'
import { writeNote } from '../../app/notes.ts'
import { openSession, openToSend, type SendingSession } from '../../app/session.ts'
import type { Context } from '../../context.ts'
import { namesBatch, needsJournal } from '../../contract/order/reference.ts'
import { Failure } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Entry, findOrdersOnAnyAccount, findUnsettled } from '../../journal/orders/entries.ts'
import { countUnknownElsewhere } from '../../journal/orders/list-orders.ts'
import { isUnsettled } from '../../journal/orders/standings.ts'
import { recordReported } from '../../journal/orders/write-order.ts'
import { decideByHand, reconcileAll } from '../../operations/reconcile.ts'
import { environmentName } from '../../profiles/profile.ts'
import type { Suggest } from '../../text/suggest.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { describeCount } from '../../ui/text/formats.ts'
import { findFailure, printAll } from './print.ts'
import type { ReconcileOptions } from './spec.ts'

/** Throws if an order could not be checked or settled. */
export const reconcile = async (context: Context, options: ReconcileOptions): Promise<void> => {
  const { order, settle: decision } = options
  if (order !== undefined && decision !== undefined) await settle(context, order.trim(), options)
  else await askService(context, options)
}

const askService = async (context: Context, options: ReconcileOptions): Promise<void> => {
  const named = options.order?.trim()
  await using opened = await openSession(context, options)
  printAccount(context, opened.account)
  const session = await openToSend(opened, { spends: false })
  const found =
    named === undefined
      ? await findUnsettled(session.journal.read, session.owner)
      : await findNamed(session, named)
  // If the user names a single order, orderctl reads it even if it is settled.
  const entries = named !== undefined && namesBatch(named) ? found.filter(isUnsettled) : found
  let done = 0
  const { end } = session.waiting.begin(() => `asking for orders: ${done} of ${entries.length}`)
  const all = await reconcileAll(session, entries, () => {
    done += 1
  }).finally(end)
  const rows = await printAll(context, all, session, options)
  if (all.length === 0)
    writeNote(context, `Every order of ${sanitize(named ?? 'this account')} is settled.\n`)
  await printElsewhere(session)
  const isScreen = !options.json && !options.quiet
  const failure = findFailure(rows, isScreen)
  const wrong = all.filter(({ entry }) => entry.decision === 'refuted')
  if (wrong.length > 0) await recordReported(session.journal, wrong)
  if (failure !== undefined) throw failure
}

/** Refuses an id that the journal knows only from another account. */
const findNamed = async (
  { context, journal, owner }: Pick<SendingSession, 'context' | 'journal' | 'owner'>,
  id: string,
): Promise<Entry[]> => {
  const write = (suggest: Suggest) => suggest`reconcile ${id}`
  if (!needsJournal(id)) await refuseElsewhere(context, journal, { owner, write, id })
  return findEntries({ journal, owner }, id)
}

const printElsewhere = async ({ context, journal, owner }: SendingSession): Promise<void> => {
  for (const { profile, origin, count } of await countUnknownElsewhere(journal.read, owner)) {
    const canCheck = profile !== owner.profile && profile !== environmentName
    const check = canCheck ? ` Check: ${context.suggest.onProfile(profile)`reconcile`}` : ''
    const orders = `${describeCount(count, 'order')} of ${sanitize(profile)}, at ${sanitize(origin)}`
    writeNote(context, `The outcome of ${orders}, is unknown.${check}\n`)
  }
}

/** Makes no call, because the key may be revoked and the service may be gone. */
const settle = async (context: Context, named: string, options: ReconcileOptions): Promise<void> => {
  await using journals = journalsOf(context, await findListedAccount(context, options.profile), options)
  const journal = await journals.openOrCreate()
  const entry = await findOnAccount(context, journal, named, options).catch(async (error) => {
    // Without an account in use, for example after its profile was removed, an id is found on every account.
    const isUnselected = error instanceof Failure && error.kind === 'credentials'
    const [only, ...others] = isUnselected ? await findOrdersOnAnyAccount(journal.read, named) : []
    if (only === undefined || others.length > 0) throw error
    return only
  })
  const reconciled = await decideByHand({ journal, clock: journals.clock }, entry, {
    isSpent: options.settle === 'spent',
    by: context.user(),
    reason: options.reason ?? '',
  })
  // The evidence against a confirmation that a decision or a response seemed to prove.
  if (entry.standing === 'confirmed') {
    const evidence =
      entry.decision === 'spent'
        ? 'Only a decision said that the order was paid.'
        : `No get ever showed the reference ${sanitize(entry.reference ?? '')} under the id ${sanitize(entry.orderId ?? '')}.`
    writeNote(context, `${evidence} orderctl no longer counts the order as confirmed.\n`)
  }
  const settled = [{ ...reconciled, was: entry.state }]
  await printAll(context, settled, { journal, owner: undefined }, options)
}

/** Refuses the order of another account, unless the user named the profile. */
const findOnAccount = async (
  context: Context,
  journal: Journal,
  named: string,
  options: ReconcileOptions,
): Promise<Entry> => {
  const { profile } = options
  const owner = ownerOf(await accountWithoutKey(context, profile))
  const found =
    profile === undefined
      ? await findNamed({ context, journal, owner }, named)
      : await findEntries({ journal, owner }, named)
  const [entry] = found
  if (entry !== undefined && found.length === 1) return entry
  throw new Failure('ambiguous', `${named} matches ${found.length} orders`, {
    advice: 'Use the id of one order.',
  })
}
