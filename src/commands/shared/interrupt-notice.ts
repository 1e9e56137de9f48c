// After the first Ctrl-C, orderctl still waits for a pending create or confirm, and says so.
import type { Context } from '../../context.ts'
import type { Progress } from '../../operations/session.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { writeNote } from './notes.ts'
import type { CommandSession } from './session.ts'

export const withInterruptNotice = async <Result>(
  { interrupted, stderr, suggest }: Context,
  { waiting }: Pick<CommandSession, 'waiting'>,
  what: 'create' | 'confirm',
  send: (progress: Progress) => Promise<Result>,
): Promise<Result> => {
  const printNotice = (): void =>
    stderr.write(
      `Interrupted: still waiting for the response to ${what}. To leave at once, press Ctrl-C again. Then run: ${suggest`reconcile`}\n`,
    )
  const stop = (): void => interrupted.removeEventListener('abort', printNotice)
  let settling: ReturnType<typeof waiting.begin> | undefined
  try {
    return await send({
      onSending: () => interrupted.addEventListener('abort', printNotice, { once: true }),
      onSettling: (reason) => {
        // From here on, an interruption ends the wait.
        stop()
        writeNote(
          { stderr },
          `No valid response to ${what} (${sanitize(reason)}). Checking the order for up to 80 s.\n`,
        )
        settling = waiting.begin(() => 'checking the order')
      },
    })
  } finally {
    settling?.end()
    stop()
  }
}
