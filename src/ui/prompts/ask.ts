// Questions to a person on a terminal. Loaded when one is asked.
import type { Readable, Writable } from 'node:stream'
import { confirm, input, password, search, select } from '@inquirer/prompts'
import { safeText } from '../terminal/safe-text.ts'
import { cutText, widthOf } from '../terminal/text-width.ts'
import { forgetTyped } from '../terminal/typed-ahead.ts'
import { type Ask, type Choice, matching, type Question, type Search } from './asking.ts'

export type Terminal = {
  readonly input: Readable
  readonly output: Writable & { readonly columns?: number }
  readonly signal: AbortSignal
}

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

const checkedLine = ({ message, initial, check }: Question, terminal: Terminal) =>
  unlessLeft(terminal, (there) =>
    input({ message, default: initial, required: true, validate: (text) => check(text) ?? true }, there),
  )

const searchedLine = async (question: Search, terminal: Terminal): Promise<string | undefined> => {
  const { message, initial, choices } = question
  const isListed = choices.some(({ value }) => value === initial)
  const start = initial === undefined ? {} : isListed ? { default: initial } : { initialValue: initial }
  let found: readonly Choice[] = []
  let isDrawn = true
  let isSeen = true
  const source = (typed: string | undefined) => {
    found = matching(question, typed)
    isDrawn = false
    queueMicrotask(() => {
      isDrawn = true
    })
    return found.map(fitting(terminal))
  }
  const validate = (): boolean => {
    isSeen = isDrawn
    return true
  }
  const taken = await unlessLeft(terminal, (there) => search({ message, source, validate, ...start }, there))
  // A key and Enter that come at once: the prompt shows what the key finds, but takes what it had found before.
  if (taken === undefined || isSeen) return taken
  return found.find(({ unfit }) => unfit === undefined)?.value ?? searchedLine(question, terminal)
}

const cursor = 2

const shown = <Value>({ value, name, unfit }: Choice<Value>) => ({
  value,
  name,
  ...(unfit === undefined ? {} : { disabled: `(${unfit})` }),
})

const reasonWidth = ({ unfit }: Choice): number => (unfit === undefined ? 0 : widthOf(` (${unfit})`))

/** On one line of the terminal, and once it is chosen, no more than what it stands for. */
const fitting =
  ({ output: { columns = 80 } }: Terminal) =>
  (choice: Choice) => ({
    ...shown({ ...choice, name: cutText(choice.name, columns - cursor - reasonWidth(choice)) }),
    short: safeText(choice.value),
  })

export const askOn = (terminal: Terminal): Ask => ({
  line: (question) => checkedLine(question, terminal),
  search: (question) => searchedLine(question, terminal),
  choose: (message, choices) =>
    // All of the few ways at once: what is below the edge is not known to be there.
    unlessLeft(terminal, (there) =>
      select({ message, choices: choices.map(shown), loop: false, pageSize: 10 }, there),
    ),
  yesOrNo: async (message) => {
    await forgetTyped(terminal.input)
    return unlessLeft(terminal, (there) => confirm({ message, default: false }, there))
  },
  // It could be made visible by a key, for whoever looks over the shoulder or reads the recording.
  secret: (message) => unlessLeft(terminal, (there) => password({ message, toggleMask: false }, there)),
})
