// What a response to get proves about an order. Only this file and view.ts judge the word in it.
import { builtin } from '../builtin.ts'
import type { DoneOutcome } from '../client/outcome.ts'
import { findCards } from '../contract/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import { hiddenMark, isStateWord } from '../contract/state-words.ts'
import { hasRedeemData, isFinal, isKnownState, isPastPending, pendingState } from '../contract/states.ts'
import { type Call, type Entry, hasReference, isUnproven } from '../journal/orders/entry.ts'
import { isUnprovenOrder } from '../journal/orders/standings.ts'
import { foldCode } from './seen-cards.ts'

/** An order of the journal. Its calls are read only if needsCalls. */
export type Known = { readonly entry: Entry; readonly calls: readonly Call[] }

type Confirms = { readonly entry: Pick<Entry, 'confirms'> } & Pick<Known, 'calls'>

/** A service that was reset reuses its ids, so the reference must match too. */
export const isSameOrder = (
  entry: Pick<Entry, 'reference' | 'referenceFold'>,
  { reference }: Pick<Order, 'reference'>,
): boolean =>
  (entry.reference === undefined && entry.referenceFold === undefined) || hasReference(entry, reference)

/** A link, a value or an empty card is none. */
export const hasCodes = ({ redeem }: Pick<Order, 'redeem'>): boolean =>
  findCards(redeem).some(({ code, pin, serial }) => (code ?? pin ?? serial) !== undefined)

/** What the service may call an order that is not confirmed: its own word before each confirm, too. */
export const showsUnconfirmed = ({ state }: Pick<Order, 'state'>, { calls }: Pick<Known, 'calls'>): boolean =>
  state === pendingState ||
  calls.some(({ operation, serviceState }) => operation === 'confirm' && serviceState === state)

/** Whether a response may show the order as before its confirm. */
export const needsCalls = ({ confirms }: Pick<Entry, 'confirms'>, order: Order | undefined): boolean =>
  confirms > 0 && (order === undefined || !isPastPending(order.state))

/**
 * A documented state after `created`. In an undocumented state after a confirm, also a code, PIN or serial number. A link or
 * an empty card may be a template, so it proves nothing.
 */
export const provesPayment = (order: Order, known: Confirms | undefined): boolean =>
  isPastPending(order.state) ||
  (known !== undefined && known.entry.confirms > 0 && hasCodes(order) && !showsUnconfirmed(order, known))

/** A state that is not a word, or that repeats a code, is neither shown nor stored: only its hash is. */
export const hideState = (order: Order): Order => {
  const { uid, state, redeem } = order
  if (isKnownState(state)) return order
  const codes = findCards(redeem).flatMap(({ code, pin, serial, link }) => [code, pin, serial, link])
  const folded = codes.map(foldCode).filter((text) => text !== '')
  if (isStateWord(state) && !folded.some((text) => foldCode(state).includes(text))) return order
  const hash = builtin.crypto().createHash('sha256').update(`${uid}\n${state}`).digest('hex').slice(0, 16)
  return { ...order, state: `${hiddenMark}${hash}` }
}

/** Whether a state is final, and whether the order then has cards. */
export const showsDelivery = (state: string): 'with-cards' | 'without-cards' | undefined => {
  if (!isFinal(state)) return undefined
  return hasRedeemData(state) ? 'with-cards' : 'without-cards'
}

/** After a refusal: the order is not confirmed so far. */
export const showsNoConfirm = ({
  data,
  isOld = false,
}: Pick<DoneOutcome<Order>, 'data' | 'isOld'>): boolean => data.state === pendingState && !isOld

/** Whether the response counts in a proof that no confirm took effect. It was asked for after the last of them. */
export const countsAsUnconfirmed = (order: Order, { entry, calls }: Known): boolean => {
  const unproven = calls.filter(isUnproven)
  return (
    isUnprovenOrder(entry) &&
    (order.state === pendingState ||
      unproven.every(({ serviceState = pendingState }) => serviceState === order.state))
  )
}
