// The questions that can be asked, independent of how they are drawn, and the terminal that they are asked on. An answer is
// undefined if the question is cancelled.
import type { Readable, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The answer that goes back to the previous question. */
export const back = '<'

/** The last choice of a list. */
export const backChoice = { value: back, name: `${back} back` } as const

export type Question = {
  readonly message: string
  /** The answer if the user only presses Enter. */
  readonly initial?: string | undefined
  /** The problem with an answer; undefined if it is valid. */
  check(text: string): string | undefined
}

export type Choice<Value = string> = {
  readonly value: Value
  readonly name: string
  /** The reason why it cannot be chosen. */
  readonly disabled?: string | undefined
}

/** One of the choices, or any other valid text. */
export type Search = Question & { readonly choices: readonly Choice[] }

/** A key that answers at once, without Enter. */
export type KeyChoice<Value> = {
  readonly value: Value
  /** 'Enter', 'Esc' or a letter. */
  readonly key: string
  /** Another key that does the same, and is not shown. */
  readonly alias?: string
  /** What the key is for, such as 'place the order'. */
  readonly purpose: string
}

export type Ask = {
  /** The keys that return to the previous question. */
  readonly backKeys: 'Esc or <' | '<'
  line(question: Question): Promise<string | undefined>
  search(question: Search): Promise<string | undefined>
  choose<Value>(message: string, choices: readonly Choice<Value>[]): Promise<Value | undefined>
  /** Waits for one of these keys. Keys that were typed before the question appeared do not count. */
  key<Value>(choices: readonly KeyChoice<Value>[]): Promise<Value | undefined>
  /** `initial` is the answer if the user only presses Enter (default: no). */
  yesOrNo(message: string, initial?: boolean): Promise<boolean | undefined>
  secret(message: string): Promise<string | undefined>
}

/** 'Enter to place the order, e to change it, Esc to cancel'. */
export const formatKeys = (choices: readonly KeyChoice<unknown>[]): string =>
  choices.map(({ key, purpose }) => `${key} to ${purpose}`).join(', ')

/** The choices whose names contain the typed text, and the typed text itself. */
export const findMatches = ({ choices, check }: Search, typed = ''): Choice[] => {
  const own = typed.trim()
  // The TAB key inserts a name as it was drawn, and a long one was cut.
  const isCut = own.endsWith('…')
  const wanted = (isCut ? own.slice(0, -1) : own).toLowerCase()
  const isExact = ({ value }: Choice): boolean => value.toLowerCase() === wanted
  const isFound = (choice: Choice): boolean =>
    // A part of the name does not find `back`, because it is not a product.
    choice.value === back
      ? ['', back, choice.name].includes(wanted)
      : choice.name.toLowerCase().includes(wanted)
  const found = choices
    .filter(isFound)
    // An exact match comes before longer names.
    .toSorted((one, other) => Number(isExact(other)) - Number(isExact(one)))
  const problem = own === '' ? undefined : check(own)
  const isListed =
    own === '' ||
    ((isCut || problem !== undefined) && found.length > 0) ||
    found.some(({ value, name }) => value === own || name === own)
  return isListed ? found : [...found, { value: own, name: own, disabled: problem }]
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
