// The states of an order, their words and their transitions (order-service.md 3), and the other texts that are shown instead
// of a state.

export const stateNames = [
  'created',
  'confirmed',
  'processing',
  'rejected',
  'failed',
  'partial',
  'successful',
] as const
export type State = (typeof stateNames)[number]

const word = /^[a-z][a-z_-]{0,31}$/

/**
 * Any other text in the place of a state could be a code. `repeats`: whether a text contains a code of the order, also a long
 * one inside a word.
 */
export const isShownState = (text: string, repeats: (text: string, least?: 'long') => boolean): boolean =>
  (stateNames as readonly string[]).includes(text) ||
  (word.test(text) && !repeats(text) && !repeats(text, 'long'))

/** Instead of a text that is not shown. For a state, a hash of the text follows. */
export const hiddenMark = '…'

export const hideHash = (state: string): string => (state.startsWith(hiddenMark) ? hiddenMark : state)

type Facts = {
  readonly meaning: string
  /** The states that may come next. A state without a next state is final. */
  readonly next: readonly State[]
}

// Spec silent: the document shows only the transition from the pending state by a confirm. orderctl assumes that
// `created` is the pending state, and that the other transitions are as below.
export const states: Readonly<Record<State, Facts>> = {
  created: { meaning: 'Order exists.', next: ['confirmed'] },
  confirmed: {
    meaning: 'Order has been confirmed and is being processed.',
    next: ['processing', 'rejected', 'failed', 'partial', 'successful'],
  },
  processing: { meaning: 'Named only.', next: ['rejected', 'failed', 'partial', 'successful'] },
  rejected: { meaning: 'Named only.', next: [] },
  failed: { meaning: 'All requested products ran into an error while processing.', next: [] },
  partial: { meaning: 'Some requested products ran into an error while processing.', next: [] },
  successful: { meaning: 'All requested products succeeded.', next: [] },
}

export const pendingState: State = 'created'

/** The state in a successful response to confirm. */
export const confirmedState: State = 'confirmed'

export const isKnownState = (state: string): state is State =>
  (stateNames as readonly string[]).includes(state)

/** An undocumented state may still change. */
export const isFinal = (state: string): boolean => isKnownState(state) && states[state].next.length === 0

/** False for an undocumented state, which may come before the pending state. */
export const isPastPending = (state: string): boolean => isKnownState(state) && state !== pendingState

/** Whether a state is the wanted one or comes after it. */
export const hasReached = (state: string, wanted: string): boolean =>
  state === wanted || (isKnownState(wanted) && isKnownState(state) && canFollow(wanted, state))

const canFollow = (from: State, to: State): boolean =>
  states[from].next.some((next) => next === to || canFollow(next, to))

export const hasRedeemData = (state: string): boolean => state === 'successful' || state === 'partial'
