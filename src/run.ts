// Runs a command line to its exit code: an error is said once, and the result is seen to arrive.
import type { Context } from './context.ts'
import { Failure } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import { reasonOf } from './files.ts'
import { runProgram } from './program.ts'
import { wantsJson } from './variables.ts'

/** The words are those after the program's name. */
export const run = async (context: Context, words: readonly string[]): Promise<number> => {
  try {
    const code = await runProgram(context, words)
    await context.stdout.flushed().catch((error) => {
      throw lost(error)
    })
    return code
  } catch (error) {
    const failure = asFailure(error)
    if (!isEnough(failure)) await report(context, failure, wantsJson(words, context.environment))
    await context.stdout.flushed().catch(() => {})
    return exitCodes[failure.kind].code
  }
}

const lost = (error: unknown): Failure =>
  new Failure('output-lost', `the result could not be written in full: ${reasonOf(error)}`, {
    fix: 'Nothing was changed by that; run it again.',
    cause: error,
  })

/** A reader that has seen enough, as `head` has, wants to hear no more; but of what an order became, always. */
const isEnough = ({ kind, details }: Failure): boolean =>
  kind === 'output-lost' &&
  details.orderId === undefined &&
  (details.cause as NodeJS.ErrnoException | undefined)?.code === 'EPIPE'

const report = async ({ stderr }: Context, failure: Failure, json: boolean): Promise<void> => {
  const { failureFor } = await import('./ui/failure.ts')
  stderr.write(failureFor(failure, stderr, json))
}

const asFailure = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure(
        'internal',
        `a defect in orderctl: ${error instanceof Error ? error.message : String(error)}`,
        {
          fix: 'Please report it, with the command that you typed.',
          cause: error,
        },
      )
