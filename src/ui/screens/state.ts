// Section 3: a state as people see it: a mark, the word, the colour, and what it means for them.
import { isKnownState, type State } from '../../contract/states.ts'
import { safeText } from '../terminal/safe-text.ts'
import type { Theme } from '../terminal/theme.ts'

type Look = { readonly mark: string; readonly paint: keyof Theme; readonly meaning: string }

// The document only names `processing` and `rejected`: their meanings are what the words say.
const looks: Readonly<Record<State, Look>> = {
  created: { mark: '○', paint: 'warning', meaning: 'not confirmed yet, nothing is spent' },
  confirmed: { mark: '…', paint: 'warning', meaning: 'paid, being processed' },
  processing: { mark: '…', paint: 'warning', meaning: 'paid, not done yet' },
  successful: { mark: '✓', paint: 'good', meaning: 'all products succeeded' },
  partial: { mark: '!', paint: 'warning', meaning: 'some products ran into an error' },
  failed: { mark: '✗', paint: 'bad', meaning: 'all products ran into an error' },
  rejected: { mark: '✗', paint: 'bad', meaning: 'the service rejected the order' },
}
/** What only the journal says of an order. */
const looksHere = new Map<string, Look>([
  ['unknown', { mark: '?', paint: 'bad', meaning: 'a confirm was sent, its outcome is unknown' }],
  ['unanswered', { mark: '–', paint: 'quiet', meaning: 'the answer to create was lost, nothing was spent' }],
  ['expired', { mark: '–', paint: 'quiet', meaning: 'not confirmed in time, nothing was spent' }],
  ['refused', { mark: '✗', paint: 'quiet', meaning: 'the service refused to create it' }],
  ['not-sent', { mark: '–', paint: 'quiet', meaning: 'it never reached the service' }],
])

const unknown: Look = { mark: '?', paint: 'warning', meaning: 'a state that is not documented' }

const lookOf = (state: string): Look => (isKnownState(state) ? looks[state] : unknown)

export const stateMeaning = (state: string): string => lookOf(state).meaning

/** '✓ successful' */
export const stateText = (state: string, theme: Theme): string => {
  const { mark, paint } = lookOf(state)
  return theme[paint](`${mark} ${safeText(state)}`)
}

/** For a cell of a table, which makes its text safe by itself. */
export const stateCell = (state: string, theme: Theme) => {
  const { mark, paint } = lookOf(state)
  return { text: `${mark} ${state}`, paint: theme[paint] }
}

/** As `stateCell`, for how an order stands in the journal. */
export const standingCell = (standing: string, theme: Theme) => {
  const { mark, paint } = looksHere.get(standing) ?? lookOf(standing)
  return { text: `${mark} ${standing}`, paint: theme[paint] }
}

export const standingMeaning = (standing: string): string =>
  (looksHere.get(standing) ?? lookOf(standing)).meaning
