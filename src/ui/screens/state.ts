// Renders states: a mark, a colour and the meaning of each (order-service.md 3).
import { isKnownState, type State } from '../../contract/states.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { Theme } from '../terminal/view.ts'

export type StateStyle = { readonly mark: string; readonly paint: keyof Theme; readonly meaning: string }

// order-service.md only names `processing` and `rejected`. Their meanings are assumed from the words.
const stateStyles: Readonly<Record<State, StateStyle>> = {
  created: { mark: '○', paint: 'warning', meaning: 'not confirmed yet, nothing spent' },
  confirmed: { mark: '…', paint: 'warning', meaning: 'paid, being processed' },
  processing: { mark: '…', paint: 'warning', meaning: 'paid, in progress' },
  successful: { mark: '✓', paint: 'good', meaning: 'all products succeeded' },
  partial: { mark: '!', paint: 'warning', meaning: 'some products failed' },
  failed: { mark: '✗', paint: 'bad', meaning: 'all products failed' },
  rejected: { mark: '✗', paint: 'bad', meaning: 'the service rejected the order' },
}
/** Words for the standings of orders. */
const journalStyles = new Map<string, StateStyle>([
  ['unknown', { mark: '?', paint: 'bad', meaning: 'a confirm was sent, its outcome is unknown' }],
  ['creating', { mark: '–', paint: 'quiet', meaning: 'no response to create so far, nothing was spent' }],
  ['lost', { mark: '–', paint: 'quiet', meaning: 'the response to create was lost, nothing was spent' }],
  ['expired', { mark: '–', paint: 'quiet', meaning: 'not confirmed in time, nothing was spent' }],
  ['not-spent', { mark: '–', paint: 'quiet', meaning: 'settled by hand: nothing was spent' }],
  ['refused', { mark: '✗', paint: 'quiet', meaning: 'the service refused to create it' }],
  ['not-sent', { mark: '–', paint: 'quiet', meaning: 'it never reached the service' }],
])

const unknown: StateStyle = { mark: '?', paint: 'warning', meaning: 'an undocumented state' }

const findStyle = (state: string): StateStyle => (isKnownState(state) ? stateStyles[state] : unknown)

/** For a state of the journal. */
export const findStandingStyle = (standing: string): StateStyle =>
  journalStyles.get(standing) ?? findStyle(standing)

export const stateMeaning = (state: string): string => findStyle(state).meaning

/** '✓ successful' */
export const stateText = (state: string, theme: Theme, { mark, paint } = findStyle(state)): string =>
  theme[paint](`${mark} ${sanitize(state)}`)

/** A table makes the text safe itself. */
export const stateCell = (state: string, theme: Theme, { mark, paint } = findStyle(state)) => ({
  text: `${mark} ${state}`,
  paint: theme[paint],
})
