// Questions to a person on a terminal. Loaded when one is asked.
import type { Readable, Writable } from 'node:stream'
import { confirm, input, password } from '@inquirer/prompts'

export type Terminal = { readonly input: Readable; readonly output: Writable; readonly signal: AbortSignal }

/** Undefined where the question is left, by Ctrl-C or the end of the input. */
const unlessLeft = async <Value>(answer: Promise<Value>): Promise<Value | undefined> => {
  try {
    return await answer
  } catch {
    return undefined
  }
}

export const askYesOrNo = async (message: string, terminal: Terminal): Promise<boolean> =>
  (await unlessLeft(confirm({ message, default: false }, terminal))) ?? false

export const askLine = (message: string, terminal: Terminal): Promise<string | undefined> =>
  unlessLeft(input({ message, required: true }, terminal))

export const askSecret = (message: string, terminal: Terminal): Promise<string | undefined> =>
  unlessLeft(password({ message }, terminal))
