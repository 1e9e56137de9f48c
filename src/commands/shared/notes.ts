// Notes on stderr about the result.
import type { Context } from '../../context.ts'
import { wrapProse } from '../../ui/terminal/text-width.ts'

/** Prints nothing with -q. Wraps the lines on a terminal. */
export const writeNote = ({ stderr }: Pick<Context, 'stderr'>, text: string): void => {
  if (!stderr.isQuiet) stderr.write(stderr.isTerminal ? wrapProse(text, stderr.width).join('\n') : text)
}
