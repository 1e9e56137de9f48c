// Confirms an order: looked at first, guarded, sent once, and settled where the answer was lost.
import type { Outcome } from '../client/outcome.ts'
import { decimalText } from '../contract/decimal.ts'
import type { ConfirmedOrder } from '../contract/schemas.ts'
import { shellWord } from '../contract/shell-word.ts'
import { isPastPending } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import type { ConfirmEnd } from '../journal/calls.ts'
import type { Call, Entry } from '../journal/entry.ts'
import type { Progress, Spending } from './deps.ts'
import { refusedFailure, unsentFailure } from './failure-of.ts'
import { type Offer, offered } from './offer.ts'
import { interruption, readOrder, type Seen } from './read.ts'
import { settlePending } from './reconcile.ts'
import { afterwards, beforehand } from './record.ts'
import { settle } from './settle.ts'

/** The order as it stands before it is confirmed. Throws where it is past that, or may be. */
export const look = async (deps: Spending, orderId: string): Promise<Seen & { offer: Offer }> => {
  const { journal, owner } = deps
  const seen = await readOrder(deps, orderId)
  const known = journal.find(owner, orderId)
  const now = known && settlePending(deps, known, { data: seen.order, serverTime: seen.serverTime })
  if (isPastPending(seen.order.state)) throw alreadyConfirmed(orderId, seen.order.state)
  if (now?.open !== undefined) throw stillOpen(now.open, orderId)
  // The journal's is paid for by now, the service's is not: the id stands for another order since.
  const isAnother = now !== undefined && isPastPending(now.entry.standing)
  return {
    ...seen,
    offer: { ...offered(seen.order, isAnother ? undefined : now?.entry.expiresAt), isAnother },
  }
}

const alreadyConfirmed = (orderId: string, state: string): Failure =>
  new Failure('refused', `the order is already confirmed: it is ${state}`, {
    orderId,
    already: true,
    fix: `orderctl get ${shellWord(orderId)}, or --idempotent where that is as good`,
  })

const stillOpen = ({ startedAt }: Call, orderId: string): Failure =>
  new Failure(
    'unknown',
    `a confirmation sent at ${new Date(startedAt).toISOString()} is still open: whether it took effect is not known; nothing was sent`,
    { orderId, fix: `orderctl reconcile ${shellWord(orderId)}` },
  )

const superseded = ({ reference, orderId }: Entry, confirming: string): Failure => {
  const other = orderId === undefined ? 'an order whose id is not known' : `the order ${orderId}`
  return new Failure(
    'usage',
    `the reference ${reference} was taken since by ${other}; ${confirming} was not confirmed, and nothing is spent by it`,
    {
      orderId: confirming,
      fix: `orderctl get ${shellWord(orderId ?? confirming)}; to pay for both: orderctl confirm ${shellWord(confirming)} --allow-duplicate`,
    },
  )
}

export type ConfirmOptions = Progress & { readonly allowDuplicate?: boolean }

/** One confirmation. Resolves where it is certain that the order is confirmed by it. */
export const confirm = async (
  deps: Spending,
  offer: Offer,
  { allowDuplicate = false, onSending, onSettling }: ConfirmOptions = {},
): Promise<void> => {
  const { api, clock, interrupted, journal, owner } = deps
  const { orderId, reference, wallet, total, isAnother = false } = offer
  if (interrupted.aborted) {
    throw interruption(interrupted, 'interrupted; the order was not confirmed, and nothing is spent', {
      orderId,
    })
  }
  const at = clock.now()
  const until = at + api.timeoutMs('confirm')
  const intent = {
    ...owner,
    ...{ orderId, reference, wallet, total: decimalText(total), at, until, isAnother, allowDuplicate },
  }
  const begun = beforehand(
    () => journal.beginConfirm(intent),
    `the order ${orderId} was not confirmed, and nothing is spent`,
    orderId,
  )
  if (begun.kind === 'open') throw stillOpen(begun.call, orderId)
  if (begun.kind === 'past') throw alreadyConfirmed(orderId, begun.standing)
  if (begun.kind === 'superseded') throw superseded(begun.by, orderId)
  onSending?.()
  const outcome = await api.confirm(orderId)
  const written = afterwards(() => journal.endConfirm(begun, endOf(outcome), clock.now()))
  switch (outcome.kind) {
    case 'done':
      return written.orThrow(`the order ${orderId} is confirmed`, orderId)
    case 'not-sent':
      throw written.beside(unsentFailure(outcome, orderId))
    case 'refused':
      throw written.beside(await explained(deps, orderId, outcome))
    case 'unknown': {
      onSettling?.(outcome.reason)
      const settled = await settle(api, orderId, clock, interrupted)
      if (settled.kind === 'confirmed') {
        const { state } = settled.order
        return afterwards(() => journal.noteOrder(begun.order, { state, at: clock.now() })).orThrow(
          `the order ${orderId} is confirmed`,
          orderId,
        )
      }
      const state =
        settled.order === undefined
          ? 'The order could not be read since.'
          : `The order says ${settled.order.state}.`
      throw written.beside(
        new Failure('unknown', `whether the order is confirmed is not known: ${outcome.reason}. ${state}`, {
          orderId,
          fix: `Do not order again. Settle it: orderctl reconcile ${shellWord(orderId)}`,
          ...(outcome.status === undefined ? {} : { status: outcome.status }),
        }),
      )
    }
  }
}

type Refused = Extract<Outcome<ConfirmedOrder>, { kind: 'refused' }>

/** A refusal may be of an order that is confirmed already: the order itself says. */
const explained = async ({ api }: Spending, orderId: string, outcome: Refused): Promise<Failure> => {
  if (outcome.refusal !== 'not-pending') return refusedFailure(outcome, orderId)
  const seen = await api.get(orderId)
  return seen.kind === 'done' && isPastPending(seen.data.state)
    ? alreadyConfirmed(orderId, seen.data.state)
    : refusedFailure(outcome, orderId)
}

const endOf = (outcome: Outcome<ConfirmedOrder>): ConfirmEnd => {
  switch (outcome.kind) {
    case 'refused':
      return { outcome: 'refused', status: outcome.status, refusal: outcome.refusal }
    case 'unknown':
      return { outcome: 'unknown', status: outcome.status }
    default:
      return { outcome: outcome.kind }
  }
}
