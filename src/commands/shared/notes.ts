// Notes on stderr about the result. With -q, a command prints only warnings, errors and what a prompt is about.
import type { Context } from '../../context.ts'
import { wrapProse } from '../../ui/terminal/text-width.ts'

type Target = Pick<Context, 'stderr'>

const quiet = new WeakSet<Context['stderr']>()

/** Called once the flags of the command are known. */
export const silenceNotes = ({ stderr }: Target): void => void quiet.add(stderr)

export const isQuiet = ({ stderr }: Target): boolean => quiet.has(stderr)

/** Wraps the lines on a terminal. */
export const writeNote = (target: Target, text: string): void => {
  const { stderr } = target
  if (!isQuiet(target)) stderr.write(stderr.isTerminal ? wrapProse(text, stderr.width).join('\n') : text)
}
