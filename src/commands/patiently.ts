// A call that spends is not left half way: the first Ctrl-C waits for its answer, and says so.
import type { Context } from '../context.ts'

export const patiently = async <Result>(
  { interrupted, stderr }: Context,
  what: 'create' | 'confirm',
  work: () => Promise<Result>,
): Promise<Result> => {
  const say = (): void =>
    stderr.write(
      `interrupted: waiting for the answer to ${what}; once more leaves at once, its outcome unknown\n`,
    )
  interrupted.addEventListener('abort', say, { once: true })
  try {
    return await work()
  } finally {
    interrupted.removeEventListener('abort', say)
  }
}
