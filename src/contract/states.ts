// Section 3: the states of an order and what follows what.

export type State = 'created' | 'confirmed' | 'rejected' | 'processing' | 'failed' | 'partial' | 'successful'

type Facts = {
  readonly meaning: string
  /** Nothing changes any more. */
  readonly final: boolean
  /** The states that may come next. */
  readonly next: readonly State[]
}

// Spec silent: it shows one transition, from the pending state by a confirmation. We take `created` to be the
// pending state, and the rest of the order below to be the life of an order.
export const states: Readonly<Record<State, Facts>> = {
  created: { meaning: 'Order exists.', final: false, next: ['confirmed'] },
  confirmed: {
    meaning: 'Order has been confirmed and is being processed.',
    final: false,
    next: ['processing', 'rejected', 'failed', 'partial', 'successful'],
  },
  processing: {
    meaning: 'Named only.',
    final: false,
    next: ['rejected', 'failed', 'partial', 'successful'],
  },
  rejected: { meaning: 'Named only.', final: true, next: [] },
  failed: {
    meaning: 'All requested products ran into an error while processing.',
    final: true,
    next: [],
  },
  partial: {
    meaning: 'Some requested products ran into an error while processing.',
    final: true,
    next: [],
  },
  successful: { meaning: 'All requested products succeeded.', final: true, next: [] },
}

export const pendingState: State = 'created'

export const isKnownState = (state: string): state is State => Object.hasOwn(states, state)

/** A state that nobody documented may still change. */
export const isFinal = (state: string): boolean => isKnownState(state) && states[state].final

/** Known to come after the pending state. Of a state that nobody documented, not even that is known. */
export const isPastPending = (state: string): boolean => isKnownState(state) && state !== pendingState

/** Whether a state is the wanted one, or one that can only come after it. */
export const hasReached = (state: string, wanted: string): boolean =>
  state === wanted || (isKnownState(wanted) && isKnownState(state) && canFollow(wanted, state))

const canFollow = (from: State, to: State): boolean =>
  states[from].next.some((next) => next === to || canFollow(next, to))

export const hasRedeemData = (state: string): boolean => state === 'successful' || state === 'partial'

export const stateNames = Object.keys(states) as readonly State[]
