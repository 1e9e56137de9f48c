// The words of the documented states (order-service.md 3), and the other texts that are shown instead of a state.

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
