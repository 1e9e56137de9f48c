// The steps of `orderctl reconcile`: asks the service about unsettled orders, or records a user's decision about an outcome
// that cannot be proven. Then prints what it found out about each order, the next step, and why it ends with an error.

import { accountWithoutKey, findListedAccount, printAccount } from '../../app/account.ts'
import { findEntries, refuseElsewhere } from '../../app/find-orders.ts'
import { journalsOf, ownerOf } from '../../app/journals.ts'
import { openSession } from '../../app/open-session.ts'
import { openToSend, type SendingSession } from '../../app/open-to-send.ts'
import { type OutputOptions, outputFor } from '../../app/output/output.ts'
import { describeOrders } from '../../app/output/show-order.ts'
import { writeNote } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { parseDecimal } from '../../contract/money/decimal.ts'
import { namesBatch, needsJournal } from '../../contract/order/reference.ts'
import { formatSafeTime } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Limit, listLimits } from '../../journal/limits.ts'
import {
  type Entry,
  findOrdersOnAnyAccount,
  findUnsettled,
  type Owner,
} from '../../journal/orders/entries.ts'
import { countUnknownElsewhere } from '../../journal/orders/list-orders.ts'
import { isUnprovenOrder, isUnsettled } from '../../journal/orders/standings.ts'
import { recordReported } from '../../journal/orders/write-order.ts'
import { needsApproval } from '../../operations/approval.ts'
import { decideByHand, type Reconciliation, reconcileAll } from '../../operations/reconcile.ts'
import { viewOrder } from '../../operations/view.ts'
import { environmentName } from '../../profiles/store.ts'
import type { Suggest } from '../../text/suggest.ts'
import { type ReconciledRow, reconciledFields, renderReconciled } from '../../ui/screens/orders.ts'
import {
  describeRefuted,
  describeUnknownOrders,
  refutedAdvice,
  writeSuggestion,
} from '../../ui/screens/state.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { describeCount } from '../../ui/text/formats.ts'
import { listNames, readFields } from '../../ui/text/result-fields.ts'
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

const writeReconcile = (suggest: Suggest, id: string): string => suggest`reconcile ${id}`

/** Refuses an id that the journal knows only from another account. */
const findNamed = async (
  { context, journal, owner }: Pick<SendingSession, 'context' | 'journal' | 'owner'>,
  id: string,
): Promise<Entry[]> => {
  const write = writeReconcile
  if (!needsJournal(id)) await refuseElsewhere(context, journal, { owner, write, id })
  return findEntries({ journal, owner }, id, write)
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
      : await findEntries({ journal, owner }, named, writeReconcile)
  const [entry] = found
  if (entry !== undefined && found.length === 1) return entry
  throw new Failure('usage', `${named} matches ${found.length} orders`, {
    advice: 'Use the id of one order.',
  })
}

type PrintedRow = ReconciledRow & { readonly failure: Failure | undefined; readonly isUnproven: boolean }

/** Returns the printed rows. `was`: the state before reconcile. `owner` is undefined if no order can be confirmed. */
const printAll = async (
  context: Context,
  all: readonly (Reconciliation & { readonly was: string })[],
  { journal, owner }: { readonly journal: Journal; readonly owner: Owner | undefined },
  options: OutputOptions,
): Promise<readonly PrintedRow[]> => {
  const view = viewOf(context)
  const entries = all.map(({ entry }) => entry)
  const listed = await describeOrders(journal.read, all, view.now)
  // The totals above which a batch needs an approval. They matter only to orders that can still be confirmed.
  const limits = owner && entries.some(canConfirm) ? await listLimits(journal.read, owner.account) : []
  const rows = listed.map((order) => {
    const { entry, batch, calls, response, problem: failure } = order
    const times = { now: view.now, serviceNow: response?.serverTime }
    const orderView = viewOrder({ entry, calls }, response, { ...times, wants: 'shown' })
    const { orderId, placedWith } = entry
    const needsApproval = canConfirm(entry) && isAbove(entry, limits)
    const needsOtherRole = limits.some(({ kind, appliesHere }) => kind === 'prepare-only' && appliesHere)
    return {
      ...{ ...order, failure },
      view: orderView,
      next: writeSuggestion(
        orderView,
        { orderId, placedWith, batch: batch?.name, needsApproval, needsOtherRole },
        context.suggest,
      ),
      isUnproven: isUnprovenOrder(entry),
      problem: failure?.message,
    }
  })
  await outputFor(context, options).print({
    names: listNames(reconciledFields),
    data: () => rows.map((row) => readFields(reconciledFields, row)),
    ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
    screen: () => rows.map((row) => renderReconciled(row, view)).join(''),
  })
  return rows
}

const canConfirm = ({ standing, batch }: Entry): boolean =>
  (standing === 'pending' || standing === 'doubtful') && batch === undefined

const isAbove = ({ total, wallet }: Entry, limits: readonly Limit[]): boolean => {
  const amount = parseDecimal(total ?? '')
  const ofWallet = limits.filter(
    (each) => each.kind === 'approval' && each.currency === wallet && each.appliesHere,
  )
  const amounts = ofWallet.map((limit) => limit.amount)
  return amount !== undefined && needsApproval(amount, amounts)
}

/**
 * Reports a wrong decision first, because it does so once, and an unproven confirm before a service that does not respond.
 * A screen shows the next step of each order, so the failure does not repeat the step.
 */
export const findFailure = (rows: readonly PrintedRow[], isScreen: boolean): Failure | undefined => {
  const refuted = rows.filter(({ entry }) => entry.decision === 'refuted')
  const wrong = describeRefuted(refuted.map(({ entry: { orderId = '' } }) => orderId))
  if (wrong !== undefined)
    return new Failure('wrong-decision', wrong, { fix: (suggest) => suggest`list`, advice: refutedAdvice })
  const [row, ...others] = rows.filter(({ isUnproven }) => isUnproven)
  if (row === undefined) return findProblem(rows)
  const message = describeUnknownOrders([row, ...others].map(({ entry: { orderId = '' } }) => orderId))
  if (others.length > 0) {
    return new Failure(
      'unproven',
      message,
      isScreen ? {} : { advice: 'Do not order again. Check again later.' },
    )
  }
  const { next, view, entry } = row
  return new Failure('unproven', message, {
    orderId: entry.orderId,
    safeFrom: formatSafeTime(view.provenAt),
    ...(isScreen ? {} : { fix: () => next.command, advice: next.advice }),
  })
}

const findProblem = (rows: readonly PrintedRow[]): Failure | undefined => {
  const problems = rows.map(({ failure }) => failure).filter((each) => each !== undefined)
  const [first] = problems
  if (first === undefined || rows.length === 1) return first
  const { orderId: _, ...details } = first.details
  const all = `${problems.length} of ${describeCount(rows.length, 'order')}`
  return new Failure(first.reason, `${all} could not be checked: ${first.message}`, details)
}
