// Runs a command line to its exit code: an error is said once, and the result is seen to arrive.
import type { Context } from './context.ts'
import { Failure } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import { runProgram } from './program.ts'
import { wantsJson } from './variables.ts'

/** The words are those after the program's name. */
export const run = async (context: Context, words: readonly string[]): Promise<number> => {
  try {
    const code = await runProgram(context, words)
    const hasArrived = await context.stdout.flushed().then(
      () => true,
      () => false,
    )
    return hasArrived ? code : exitCodes['output-lost'].code
  } catch (error) {
    const failure = asFailure(error)
    await report(context, failure, wantsJson(words, context.environment))
    await context.stdout.flushed().catch(() => {})
    return exitCodes[failure.kind].code
  }
}

const report = async ({ stderr }: Context, failure: Failure, json: boolean): Promise<void> => {
  const { failureJson, failureText } = await import('./ui/failure.ts')
  const { themeFor } = await import('./ui/theme.ts')
  stderr.write(json ? failureJson(failure) : failureText(failure, themeFor(stderr)))
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
