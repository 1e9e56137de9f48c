// Renders the state of a batch: a mark, a colour and its meaning.
import { sanitize } from '../../terminal/sanitize.ts'
import type { Theme } from '../../terminal/view.ts'

type StateStyle = { readonly mark: string; readonly paint: keyof Theme; readonly meaning: string }

const styles = new Map<string, StateStyle>([
  ['planned', { mark: '○', paint: 'warning', meaning: 'nothing was bought yet' }],
  ['in-progress', { mark: '…', paint: 'warning', meaning: 'not complete yet' }],
  ['stopped', { mark: '!', paint: 'warning', meaning: 'the wallet has too little money' }],
  ['unknown', { mark: '?', paint: 'bad', meaning: 'the outcome of some orders is unknown' }],
  ['successful', { mark: '✓', paint: 'good', meaning: 'all cards were delivered' }],
  ['delivered', { mark: '✓', paint: 'good', meaning: 'all cards were delivered' }],
  ['partial', { mark: '!', paint: 'warning', meaning: 'some cards were not delivered' }],
  ['failed', { mark: '✗', paint: 'bad', meaning: 'no card was delivered' }],
  ['duplicate', { mark: '✗', paint: 'bad', meaning: 'another card has the same code' }],
  ['cancelled', { mark: '–', paint: 'quiet', meaning: 'it buys no more cards' }],
  ['open', { mark: '○', paint: 'warning', meaning: 'not delivered yet' }],
])

const findStyle = (state: string): StateStyle =>
  styles.get(state) ?? { mark: '?', paint: 'warning', meaning: 'unknown state' }

const stopMeanings = new Map([
  ['cap', 'it reached its cap'],
  ['budget', 'a budget does not allow the next order'],
  ['approval', 'it has no valid approval'],
  ['charge', 'an order was charged more than its total, or in another currency'],
])

/** '! partial, some cards were not delivered'. `stopped`: the reason. */
export const describeBatchState = (state: string, stopped: string | undefined, theme: Theme): string => {
  const { mark, paint, meaning } = findStyle(state)
  const reason = state === 'stopped' ? stopMeanings.get(stopped ?? '') : undefined
  return `${theme[paint](`${mark} ${sanitize(state)}`)}, ${reason ?? meaning}`
}

/** Also for the state of a row. A table makes the text safe itself. */
export const batchStateCell = (state: string, theme: Theme) => {
  const { mark, paint } = findStyle(state)
  return { text: `${mark} ${state}`, paint: theme[paint] }
}
