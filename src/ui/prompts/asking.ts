// The questions that can be asked, independent of how they are drawn, and the terminal that they are asked on. An answer is
// undefined if the question is cancelled.
import type { Readable, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A question for a text. */
export type Question = {
  readonly message: string
  /** The answer if the user only presses Enter. */
  readonly initial?: string | undefined
  /** The answer is one of them, or any other valid text. */
  readonly choices?: readonly Choice[]
  /** The problem with an answer; undefined if it is valid. The text is trimmed. */
  check(text: string): string | undefined
}

export type Choice<Value = string> = { readonly value: Value; readonly name: string }

export type Ask = {
  text(question: Question): Promise<string | undefined>
  /** Like `yesOrNo`, ignores what was typed before the question appeared. */
  choose<Value>(message: string, choices: readonly Choice<Value>[]): Promise<Value | undefined>
  /** `initial` is the answer if the user only presses Enter (default: no). */
  yesOrNo(message: string, initial?: boolean): Promise<boolean | undefined>
  secret(message: string): Promise<string | undefined>
}

export type Match = Choice & { readonly problem?: string | undefined }

/** The choices whose names contain the typed text, and the typed text itself, which may have a problem. */
export const findMatches = ({ choices = [], check }: Question, typed = ''): Match[] => {
  const own = typed.trim()
  if (own === '') return [...choices]
  // The TAB key inserts a name as it was drawn, and a long one was cut.
  const isCut = own.endsWith('…')
  const wanted = (isCut ? own.slice(0, -1) : own).toLowerCase()
  const isExact = ({ value }: Choice): boolean => value.toLowerCase() === wanted
  const found = choices
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    // An exact match comes before longer names.
    .toSorted((one, other) => Number(isExact(other)) - Number(isExact(one)))
  const problem = check(own)
  const isListed =
    ((isCut || problem !== undefined) && found.length > 0) ||
    found.some(({ value, name }) => value === own || name === own)
  return isListed ? found : [...found, { value: own, name: own, problem }]
}

export type Terminal = {
  readonly input: Keyboard
  readonly output: Writable & { readonly columns?: number; readonly rows?: number }
  readonly signal: AbortSignal
}

type Keyboard = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown }

/** Discards nothing from a pipe, where all input is sent ahead. */
export const discardTyped = async (input: Keyboard): Promise<void> => {
  if (input.isTTY !== true) return
  const ignore = (): void => {}
  // In line mode the system keeps an unfinished line and delivers it later.
  input.setRawMode?.(true)
  input.on('data', ignore).resume()
  // Reading starts in the first turn of the event loop and ends in the second.
  for (let turns = 0; turns < 3; turns += 1) await nextTurn()
  input.off('data', ignore).pause()
  input.setRawMode?.(false)
}
