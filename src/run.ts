// Runs a command line and returns its exit code. Prints an error once and ensures that the output was written.

import { wantsDebug, wantsJson } from './cli/variables.ts'
import type { Context } from './context.ts'
import { createDefect, exitCodes, Failure } from './errors.ts'
import { getErrorReason } from './files.ts'
import { createBrokenFailure, isBrokenInstallation, renderPlainly } from './package-file.ts'
import { runProgram } from './program/program.ts'

/** `words` are the arguments after the program's name. */
export const run = async (context: Context, words: readonly string[]): Promise<number> => {
  try {
    refuseInvalidText(words)
    const code = await runProgram(context, words)
    await context.stdout.flushed().catch((cause) => {
      const problem = `the result could not be written in full: ${getErrorReason(cause)}`
      throw new Failure('output-lost', problem, { advice: 'Run the command again.', cause })
    })
    // With --json, prints the warnings that are in no result.
    const warnings = context.stderr.warnings ?? []
    if (warnings.length > 0) context.stderr.write(`${JSON.stringify({ warnings })}\n`)
    return code
  } catch (error) {
    const debug = wantsDebug(words, context.environment)
    const failure = asFailure(error, words, debug)
    const isSilent = words[0] === '__complete' && failure.kind === 'installation'
    if (!isClosedPipe(failure) && !isSilent)
      await report(context, failure, wantsJson(words, context.environment), debug)
    await context.stdout.flushed().catch(() => {})
    return exitCodes[failure.kind].code
  }
}

/** Node replaces invalid UTF-8 with this character, so two different references or files could look the same. */
const replacementCharacter = '\ufffd'

const refuseInvalidText = (words: readonly string[]): void => {
  const at = words.findIndex((word) => word.includes(replacementCharacter))
  // Completion prints no errors.
  if (at === -1 || words[0] === '__complete') return
  throw new Failure('usage', `argument ${at + 1} is not valid UTF-8: ${JSON.stringify(words[at])}`, {
    advice: 'Use a terminal with a UTF-8 locale.',
  })
}

/** A reader such as `head` may close the pipe early. That is no error, unless the message is about an order. */
const isClosedPipe = ({ kind, details }: Failure): boolean =>
  kind === 'output-lost' &&
  details.orderId === undefined &&
  (details.cause as NodeJS.ErrnoException | undefined)?.code === 'EPIPE'

const report = async (context: Context, failure: Failure, json: boolean, debug: boolean): Promise<void> => {
  try {
    const { renderFailure } = await import('./ui/screens/failure.ts')
    context.stderr.write(renderFailure(failure, context, json, debug))
  } catch (error) {
    if (!isBrokenInstallation(error)) throw error
    context.stderr.write(renderPlainly(failure, context, json))
  }
}

const asFailure = (error: unknown, words: readonly string[], debug: boolean): Failure => {
  if (error instanceof Failure) return error
  // The command failed, and then closing its session failed. Only the first failure matters.
  if (error instanceof SuppressedError) return asFailure(error.suppressed, words, debug)
  if (isBrokenInstallation(error)) return createBrokenFailure(error, words)
  if (debug) return createDefect(error, { advice: 'Report this defect and the command that you typed.' })
  const hint = 'Run again with --debug or ORDERCTL_DEBUG=1, and report the output.'
  const maySpend = words[0] === 'create' || words[0] === 'confirm'
  return createDefect(error, {
    fix: (suggest) => (maySpend ? suggest`list` : undefined),
    advice: maySpend ? `First check what was ordered. ${hint}` : hint,
  })
}
