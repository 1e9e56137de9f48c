// The words of the documented states (order-service.md 3), and which other texts in their place are shown.

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

/** Any other text in the place of a state could be a code. */
export const isStateWord = (text: string): boolean => word.test(text)

/** A text in the place of a state that is not shown: this mark, and then a hash of the text. */
export const hiddenMark = '…'

export const hideHash = (state: string): string => (state.startsWith(hiddenMark) ? hiddenMark : state)
