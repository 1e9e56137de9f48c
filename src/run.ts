// Runs a command line to its exit code: an error is said once, and the result is seen to arrive.

import { runProgram } from './cli/program.ts'
import { wantsDebug, wantsJson } from './cli/variables.ts'
import type { Context } from './context.ts'
import { Failure } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import { getErrorReason } from './files.ts'

/** The words are those after the program's name. */
export const run = async (context: Context, words: readonly string[]): Promise<number> => {
  try {
    refuseUnreadable(words)
    const code = await runProgram(context, words)
    await context.stdout.flushed().catch((error) => {
      throw lost(error)
    })
    return code
  } catch (error) {
    const debug = wantsDebug(words, context.environment)
    const failure = asFailure(error, words, debug)
    if (!isEnough(failure)) await report(context, failure, wantsJson(words, context.environment), debug)
    await context.stdout.flushed().catch(() => {})
    return exitCodes[failure.kind].code
  }
}

/** What Node reads in place of bytes that are no UTF-8: two references, or two files, would pass for one. */
const unreadable = '\ufffd'

const refuseUnreadable = (words: readonly string[]): void => {
  const at = words.findIndex((word) => word.includes(unreadable))
  // The TAB key is told no errors.
  if (at === -1 || words[0] === '__complete') return
  throw new Failure('usage', `argument ${at + 1} is not valid UTF-8: ${JSON.stringify(words[at])}`, {
    fix: 'Type it again in a terminal whose locale is UTF-8.',
  })
}

const lost = (error: unknown): Failure =>
  new Failure('output-lost', `the result could not be written in full: ${getErrorReason(error)}`, {
    fix: 'Nothing was changed by that; run it again.',
    cause: error,
  })

/** A reader that has seen enough, as `head` has, wants to hear no more; but of what an order became, always. */
const isEnough = ({ kind, details }: Failure): boolean =>
  kind === 'output-lost' &&
  details.orderId === undefined &&
  (details.cause as NodeJS.ErrnoException | undefined)?.code === 'EPIPE'

const report = async (
  { stderr }: Context,
  failure: Failure,
  json: boolean,
  debug: boolean,
): Promise<void> => {
  const { renderFailure } = await import('./ui/screens/failure.ts')
  stderr.write(renderFailure(failure, stderr, json, debug))
}

const asFailure = (error: unknown, words: readonly string[], debug: boolean): Failure =>
  error instanceof Failure
    ? error
    : new Failure(
        'internal',
        `a defect in orderctl: ${error instanceof Error ? error.message : String(error)}`,
        {
          fix: debug ? 'Report this defect and the command that you typed.' : debugHint(words),
          cause: error,
        },
      )

const debugHint = ([command]: readonly string[]): string => {
  const hint = 'Run again with --debug or ORDERCTL_DEBUG=1, and report the output.'
  const maySpend = command === 'create' || command === 'confirm'
  return maySpend ? `Check with orderctl list what was ordered. ${hint}` : hint
}
