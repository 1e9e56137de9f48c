// A context for checks: it never asks, and no command that it runs can ask or print.
import type { Context } from '../../context.ts'
import type { Writer } from '../../ui/terminal/io.ts'

type Options = {
  /** Ends the commands that print keys and passwords. */
  readonly signal: AbortSignal
  readonly onWarning: (text: string) => void
}

export const withoutPrompts = (context: Context, { signal, onWarning }: Options): Context => {
  const stderr: Writer = {
    ...context.stderr,
    write: (text) => onWarning(text.trim().replace(/^warning: /, '')),
  }
  return {
    ...context,
    stdin: { ...context.stdin, isTerminal: false },
    stderr,
    interrupted: signal,
    promptSecret: async () => undefined,
    // A command may print a key to stderr, too.
    shell: (line, options) => context.shell(line, { ...options, stdio: ['ignore', 'pipe', 'ignore'] }),
  }
}
