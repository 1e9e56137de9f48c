// The line that is drawn while an answer is waited for: something that moves, what is waited for, and for how long.
import { formatDuration } from '../../contract/duration.ts'
import type { Theme } from '../terminal/theme.ts'

const braille = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']
const plain = [...'|/-\\']

type Variables = Readonly<Record<string, string | undefined>>

/** By the locale, as POSIX has it; without one, what every terminal has. */
export const framesFor = ({ LC_ALL, LC_CTYPE, LANG }: Variables, platform: string): readonly string[] => {
  // Terminals there take UTF-8, whatever the variables say.
  const isTold = platform === 'darwin' || platform === 'win32'
  return isTold || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') ? braille : plain
}

export type Waited = {
  readonly what: string
  readonly ms: number
  /** How often it was drawn before. */
  readonly turn: number
}

export const waitingLine = (
  { what, ms, turn }: Waited,
  frames: readonly string[],
  { quiet }: Pick<Theme, 'quiet'>,
): string => {
  const length = ms < 1_000 ? '' : `  ${formatDuration(ms)}`
  return `${quiet(`${frames[turn % frames.length]} ${what}${length}`)}\n`
}
