// Questions to a person on a terminal. Loaded when one is asked.
import type { Readable, Writable } from 'node:stream'
import { confirm, input, password } from '@inquirer/prompts'

export type Terminal = { readonly input: Readable; readonly output: Writable; readonly signal: AbortSignal }

/** Undefined where the question is left, by Ctrl-C or the end of the input. */
const unlessLeft = async <Value>(
  terminal: Terminal,
  ask: (terminal: Terminal) => Promise<Value>,
): Promise<Value | undefined> => {
  // The prompts wait on forever where the input ends, by Ctrl-D for one; readline pauses it then.
  const ended = new AbortController()
  const end = (): void => ended.abort()
  terminal.input.once('pause', end)
  try {
    return await ask({ ...terminal, signal: AbortSignal.any([terminal.signal, ended.signal]) })
  } catch {
    return undefined
  } finally {
    terminal.input.off('pause', end)
  }
}

export const askYesOrNo = async (message: string, terminal: Terminal): Promise<boolean> =>
  (await unlessLeft(terminal, (there) => confirm({ message, default: false }, there))) ?? false

export const askLine = (message: string, terminal: Terminal): Promise<string | undefined> =>
  unlessLeft(terminal, (there) => input({ message, required: true }, there))

// It could be made visible by a key, for whoever looks over the shoulder or reads the recording.
export const askSecret = (message: string, terminal: Terminal): Promise<string | undefined> =>
  unlessLeft(terminal, (there) => password({ message, toggleMask: false }, there))
