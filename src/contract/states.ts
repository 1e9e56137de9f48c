// The states of an order and their transitions (order-service.md 3).

export type State = 'created' | 'confirmed' | 'rejected' | 'processing' | 'failed' | 'partial' | 'successful'

type Facts = {
  readonly meaning: string
  /** The state never changes again. */
  readonly isFinal: boolean
  /** The states that may come next. */
  readonly next: readonly State[]
}

// Spec silent: the document shows only the transition from the pending state by a confirm. orderctl assumes that
// `created` is the pending state, and that the other transitions are as below.
export const states: Readonly<Record<State, Facts>> = {
  created: { meaning: 'Order exists.', isFinal: false, next: ['confirmed'] },
  confirmed: {
    meaning: 'Order has been confirmed and is being processed.',
    isFinal: false,
    next: ['processing', 'rejected', 'failed', 'partial', 'successful'],
  },
  processing: {
    meaning: 'Named only.',
    isFinal: false,
    next: ['rejected', 'failed', 'partial', 'successful'],
  },
  rejected: { meaning: 'Named only.', isFinal: true, next: [] },
  failed: {
    meaning: 'All requested products ran into an error while processing.',
    isFinal: true,
    next: [],
  },
  partial: {
    meaning: 'Some requested products ran into an error while processing.',
    isFinal: true,
    next: [],
  },
  successful: { meaning: 'All requested products succeeded.', isFinal: true, next: [] },
}

export const stateNames = Object.keys(states) as readonly State[]

export const pendingState: State = 'created'

export const isKnownState = (state: string): state is State => Object.hasOwn(states, state)

/** An undocumented state may still change. */
export const isFinal = (state: string): boolean => isKnownState(state) && states[state].isFinal

/** False for an undocumented state, which may come before the pending state. */
export const isPastPending = (state: string): boolean => isKnownState(state) && state !== pendingState

/** Whether a state is the wanted one or comes after it. */
export const hasReached = (state: string, wanted: string): boolean =>
  state === wanted || (isKnownState(wanted) && isKnownState(state) && canFollow(wanted, state))

const canFollow = (from: State, to: State): boolean =>
  states[from].next.some((next) => next === to || canFollow(next, to))

export const hasRedeemData = (state: string): boolean => state === 'successful' || state === 'partial'
