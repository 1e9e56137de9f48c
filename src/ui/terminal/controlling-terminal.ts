// Asks questions on the controlling terminal when stderr is redirected. Loaded only when a question is asked there.
import { closeSync, openSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'
import { createOutput, type Writer } from './io.ts'

export type ControllingTerminal = {
  readonly output: Writer
  /** False if the person cancels the prompt. */
  askYesNo(message: string): Promise<boolean>
  [Symbol.asyncDispose](): Promise<void>
}

/** Undefined without a controlling terminal: daemons, cron jobs, Windows. */
export const openControllingTerminal = (
  colour: boolean,
  columns: number | undefined,
  isPlain: boolean,
  signal: AbortSignal,
): ControllingTerminal | undefined => {
  const files = openDevice()
  if (files === undefined) return undefined
  const input = new ReadStream(files.read)
  const stream = new WriteStream(files.write)
  const output = createOutput({ isTerminal: true, stream: () => stream }, colour, columns)
  return {
    output,
    askYesNo: async (message) => {
      const terminal = { input, output: stream, signal }
      const ask = isPlain
        ? (await import('../prompts/ask.ts')).askPlainly(terminal)
        : (await import('../prompts/ask.ts')).askOn(terminal)
      return (await ask.yesOrNo(message)) ?? false
    },
    [Symbol.asyncDispose]: async () => {
      input.destroy()
      await output.flushed().catch(() => {})
      stream.destroy()
    },
  }
}

/** Two descriptors, because each stream closes its own. */
const openDevice = (): { readonly read: number; readonly write: number } | undefined => {
  let read: number | undefined
  try {
    read = openSync('/dev/tty', 'r')
    return { read, write: openSync('/dev/tty', 'w') }
  } catch {
    if (read !== undefined) closeSync(read)
    return undefined
  }
}
