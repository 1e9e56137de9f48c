// A call that spends is not left half way: the first Ctrl-C waits for its answer, and says so.
import type { Context } from '../context.ts'
import type { Progress } from '../operations/deps.ts'
import { safeText } from '../ui/safe-text.ts'
import type { Session } from './session.ts'

export const patiently = async <Result>(
  { interrupted, stderr }: Context,
  { waiting }: Pick<Session, 'waiting'>,
  what: 'create' | 'confirm',
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> => {
  const say = (): void =>
    stderr.write(
      `interrupted: waiting for the answer to ${what}; once more leaves at once, its outcome unknown (then: orderctl reconcile)\n`,
    )
  let settling: ReturnType<typeof waiting.begin> | undefined
  const stop = (): void => interrupted.removeEventListener('abort', say)
  try {
    return await work({
      onSending: () => interrupted.addEventListener('abort', say, { once: true }),
      onSettling: (reason) => {
        // No answer is waited for any more, and the questions that follow can be left.
        stop()
        stderr.write(
          `the answer to ${what} was lost (${safeText(reason)}); asking for the order, for up to 78 s, to see whether it took effect\n`,
        )
        settling = waiting.begin(() => 'asking whether it took effect')
      },
    })
  } finally {
    settling?.end()
    stop()
  }
}
