// How a check of doctor reports what it found, and how a failure becomes a report.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { getErrorReason } from '../../files.ts'
import type { Check } from '../../ui/screens/doctor.ts'

export const ok = (name: string, detail: string): Check => ({ name, status: 'ok', detail })

export const warning = (name: string, detail: string, fix?: string): Check => ({
  ...{ name, status: 'warning', detail },
  ...(fix === undefined ? {} : { fix }),
})

export const problem = (name: string, detail: string, fix?: string): Check => ({
  ...warning(name, detail, fix),
  status: 'problem',
})

export const fromError = (name: string, error: unknown): Check => {
  if (!(error instanceof Failure)) return problem(name, `cannot be checked: ${getErrorReason(error)}`)
  const { fix, violations = [] } = error.details
  return problem(name, [error.message, ...violations].join('; '), fix)
}

/** The checks, or the failure as a check. */
export const attempt = (name: string, work: () => readonly Check[]): readonly Check[] => {
  try {
    return work()
  } catch (error) {
    return [fromError(name, error)]
  }
}

type Limit = {
  readonly name: string
  readonly timeoutMs: number
}

/** Ends the work after its time: the rest of the report must not wait for it. */
export const attemptWithin = async (
  { clock, interrupted }: Pick<Context, 'clock' | 'interrupted'>,
  { name, timeoutMs }: Limit,
  work: (signal: AbortSignal) => Promise<readonly Check[]>,
): Promise<readonly Check[]> => {
  const over = new AbortController()
  const late = clock.sleep(timeoutMs, AbortSignal.any([over.signal, interrupted])).then(() => {
    const isDone = over.signal.aborted
    over.abort()
    return isDone ? [] : [problem(name, `no answer within ${timeoutMs / 1000} s`)]
  })
  try {
    return await Promise.race([work(AbortSignal.any([over.signal, interrupted])), late])
  } catch (error) {
    return [fromError(name, error)]
  } finally {
    over.abort()
  }
}

/** Aborts the signal of the work after this time. */
export const withTimeLimit = async <Result>(
  { sleep }: Pick<Context['clock'], 'sleep'>,
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const [late, done] = [new AbortController(), new AbortController()]
  void sleep(ms, done.signal).then(() => late.abort())
  return work(AbortSignal.any([late.signal, outer])).finally(() => done.abort())
}
