// The progress line while orderctl waits for a response: a spinner, the operation, the elapsed time.
import { formatDuration } from '../../contract/duration.ts'
import type { Theme } from '../terminal/view.ts'
import { supportsUnicode } from '../terminal/view.ts'

const braille = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']
const plain = [...'|/-\\']

type Variables = Parameters<typeof supportsUnicode>[0]

/** Braille, or ASCII on a terminal without Unicode. */
export const framesFor = (variables: Variables, platform: string): readonly string[] =>
  supportsUnicode(variables, platform) ? braille : plain

export type Waited = {
  readonly what: string
  readonly ms: number
  /** How often the line was drawn before. */
  readonly turn: number
}

export const renderWaiting = (
  { what, ms, turn }: Waited,
  frames: readonly string[],
  { quiet }: Pick<Theme, 'quiet'>,
): string => {
  const length = ms < 1_000 ? '' : `  ${formatDuration(ms)}`
  return `${quiet(`${frames[turn % frames.length]} ${what}${length}`)}\n`
}
