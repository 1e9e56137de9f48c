// The failures of a confirm that did not succeed, and of orders that may have been paid for. They name the next step.
import type { RefusedOutcome, UnknownOutcome } from '../client/outcome.ts'
import { formatUtcTime } from '../contract/timestamp.ts'
import { Failure } from '../errors.ts'
import type { Call, Entry } from '../journal/entry.ts'
import { quoteShellWord } from '../text/shell-word.ts'
import { provableAt } from './reconcile.ts'

const reconcileCommand = (orderId: string): string => `orderctl reconcile ${quoteShellWord(orderId)}`

export const alreadyConfirmed = (orderId: string, state: string): Failure =>
  new Failure('refused', `the order ${orderId} is already confirmed (${state})`, {
    orderId,
    already: true,
    fix: `orderctl get ${quoteShellWord(orderId)}, or use --idempotent to succeed in this case`,
  })

export const stillOpen = ({ startedAt }: Call, orderId: string): Failure =>
  new Failure(
    'unknown',
    `the outcome of a confirm sent at ${formatUtcTime(startedAt)} is unknown; nothing was sent now`,
    { orderId, fix: reconcileCommand(orderId) },
  )

/** Refused or expired: an answer, but no proof. The reference stays reserved. */
export const unconfirmedFailure = (
  entry: Entry | undefined,
  outcome: RefusedOutcome | UnknownOutcome,
  { orderId, now }: { readonly orderId: string; readonly now: number },
): Failure => {
  const { status } = outcome
  const said = outcome.kind === 'refused' ? outcome.message : outcome.reason
  const isExpired = status === 419
  const words = said === '' ? `status ${status}` : said.replace(/\.$/, '')
  const what = isExpired
    ? `the order ${orderId} has expired unconfirmed`
    : `the service refused to confirm the order ${orderId}: ${words}. It is not confirmed so far`
  const safeAt = entry === undefined ? undefined : provableAt(entry, now, outcome.serverTime)
  const isCredentials = status === 401 || status === 403
  return new Failure(isExpired ? 'expired' : isCredentials ? 'credentials' : 'refused', what, {
    orderId,
    ...(status === undefined ? {} : { status }),
    ...safeFrom(safeAt),
    fix: fixOf(orderId, isExpired, safeAt),
  })
}

const safeFrom = (safeAt: number | undefined) =>
  safeAt === undefined ? {} : { safeFrom: formatUtcTime(safeAt) }

const fixOf = (orderId: string, isExpired: boolean, safeAt: number | undefined): string => {
  const again = isExpired ? '' : `Confirm it again: orderctl confirm ${quoteShellWord(orderId)}. `
  return safeAt === undefined
    ? `${again}Before you order anew: ${reconcileCommand(orderId)}`
    : `${again}Ordering anew is safe from ${formatUtcTime(safeAt)}, after ${reconcileCommand(orderId)}`
}

/** The order expired, but a confirm of it was refused without proof. */
export const expiredUnproven = (entry: Entry, provenAt: number | undefined): Failure => {
  const orderId = entry.orderId ?? ''
  return new Failure(
    'expired',
    `the order ${orderId} has expired; it is not proven yet that its confirm spent nothing`,
    {
      orderId,
      ...safeFrom(provenAt),
      fix: `${provenAt === undefined ? '' : `Wait until ${formatUtcTime(provenAt)}, then run `}${reconcileCommand(orderId)}`,
    },
  )
}

/** Another order has the reference. Nothing was sent. */
export const duplicateFailure = (
  { reference = '', orderId, state: entryState }: Entry,
  {
    wanted,
    unproven,
    provenAt,
  }: {
    readonly wanted?: string
    readonly unproven?: Call | undefined
    readonly provenAt?: number | undefined
  },
): Failure => {
  const other = orderId === undefined ? 'an order without an id' : `the order ${orderId}`
  const state =
    unproven === undefined ? entryState : `${entryState}, its confirm is not proven to have failed`
  const next =
    orderId === undefined
      ? 'orderctl list'
      : unproven === undefined
        ? `orderctl get ${quoteShellWord(orderId)}`
        : reconcileCommand(orderId)
  const flag =
    wanted === undefined
      ? 'Use --idempotent to go on with that order, or --allow-duplicate to order again.'
      : `To pay for both: orderctl confirm ${quoteShellWord(wanted)} --allow-duplicate`
  const outcome =
    wanted === undefined ? 'nothing was sent' : `${wanted} was not confirmed, and nothing was spent by it`
  return new Failure(
    'duplicate',
    `the reference ${reference} is already used by ${other} (${state}); ${outcome}`,
    {
      field: 'reference',
      ...(wanted === undefined ? (orderId === undefined ? {} : { orderId }) : { orderId: wanted }),
      ...safeFrom(provenAt),
      fix: `${next}. ${provenAt === undefined ? flag : `Ordering anew is safe from ${formatUtcTime(provenAt)}, once reconcile has proved it.`}`,
    },
  )
}
