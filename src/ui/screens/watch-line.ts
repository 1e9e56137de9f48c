// One state change of a watched order, on one line.
import { formatDuration } from '../../contract/duration.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { Theme } from '../terminal/theme.ts'
import { stateText } from './state.ts'

export type Change = {
  readonly id: string
  readonly state: string
  /** Since the start of the watch. */
  readonly ms: number
}

export const renderChange = ({ id, state, ms }: Change, theme: Theme): string =>
  `${sanitize(id)}  ${stateText(state, theme)}  ${theme.quiet(`after ${formatDuration(ms)}`)}\n`
