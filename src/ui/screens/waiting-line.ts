// The progress line while orderctl waits for an answer: a spinner, the operation, the elapsed time.
import { formatDuration } from '../../contract/duration.ts'
import type { Theme } from '../terminal/theme.ts'

const braille = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']
const plain = [...'|/-\\']

type Variables = Readonly<Record<string, string | undefined>>

/** Braille if the locale is UTF-8, by the POSIX order of variables; otherwise ASCII. */
export const framesFor = ({ LC_ALL, LC_CTYPE, LANG }: Variables, platform: string): readonly string[] => {
  // Terminals on macOS and Windows support UTF-8, even without a locale.
  const isUtf8 = platform === 'darwin' || platform === 'win32'
  return isUtf8 || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') ? braille : plain
}

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
