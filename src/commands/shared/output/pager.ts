// Shows a long screen with the program of PAGER, as git and gh do.
import type { Context } from '../../../context.ts'

/** Prints the text if PAGER is not set, if the text fits the terminal, in a pipe, and for a screen reader. */
export const printPaged = async (context: Context, text: string): Promise<void> => {
  const { stdout, environment, isAccessible } = context
  const { PAGER: pager = '', TERM: terminal } = environment
  const isLong = text.split('\n').length > stdout.height
  const canPage = stdout.isTerminal && terminal !== 'dumb' && !isAccessible && pager.trim() !== ''
  if (!isLong || !canPage || !(await pipeTo(context, pager, text))) stdout.write(text)
}

/** Returns false if the program cannot be started. */
const pipeTo = ({ spawn, environment }: Context, pager: string, text: string): Promise<boolean> =>
  new Promise((resolve) => {
    // Without these options, less shows the codes of colours, and clears the screen at the end.
    const env = { LESS: 'FRX', ...environment, ORDERCTL_API_KEY: undefined, PGPASSWORD: undefined }
    const child = spawn(pager, [], { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env })
    child.once('error', () => resolve(false))
    // A shell ends with these codes if it cannot start the program.
    child.once('close', (code) => resolve(code !== 126 && code !== 127))
    // A reader who quits before the end closes the pipe.
    child.stdin?.on('error', () => {})
    child.stdin?.end(text)
  })
