// The controlling terminal, for a question to a person whose stderr leads elsewhere. Loaded when one is asked there.
import { closeSync, openSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'
import { createOutput, type Writer } from './io.ts'

export type ControllingTerminal = {
  readonly output: Writer
  /** False if the person leaves the question. */
  confirm(message: string): Promise<boolean>
  close(): Promise<void>
}

type Options = {
  readonly colour: boolean
  readonly columns: number | undefined
  readonly isAccessible: boolean
  readonly signal: AbortSignal
}

const device = '/dev/tty'

/** Undefined if the process has none: a daemon, a job of cron, or on Windows. */
export const openControllingTerminal = ({
  colour,
  columns,
  isAccessible,
  signal,
}: Options): ControllingTerminal | undefined => {
  const files = openTwice()
  if (files === undefined) return undefined
  const input = new ReadStream(files.read)
  const stream = new WriteStream(files.write)
  const output = createOutput({ isTerminal: true, stream: () => stream }, colour, columns)
  return {
    output,
    confirm: async (message) => {
      const terminal = { input, output: stream, signal }
      const ask = isAccessible
        ? (await import('../prompts/ask-plainly.ts')).askPlainly(terminal)
        : (await import('../prompts/ask.ts')).askOn(terminal)
      return (await ask.yesOrNo(message)) ?? false
    },
    close: async () => {
      input.destroy()
      await output.flushed().catch(() => {})
      stream.destroy()
    },
  }
}

/** Each stream closes its own descriptor. */
const openTwice = (): { readonly read: number; readonly write: number } | undefined => {
  let read: number | undefined
  try {
    read = openSync(device, 'r')
    return { read, write: openSync(device, 'w') }
  } catch {
    if (read !== undefined) closeSync(read)
    return undefined
  }
}
