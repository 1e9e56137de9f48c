// The questions that can be asked, independent of how they are drawn, and the terminal that they are asked on. An answer is
// undefined if the question is cancelled. Then two ways to ask them: as prompts, and for screen readers: every line is written
// once, and choices have numbers. Loaded only when a question is asked.

import { createInterface, type Interface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { confirm, input, password, search, select } from '@inquirer/prompts'
import { cutText, sanitize } from '../terminal/text.ts'

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

type Match = Choice & { readonly problem?: string | undefined }

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
const discardTyped = async (input: Keyboard): Promise<void> => {
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

export const askPlainly = ({ input, output, signal }: Terminal): Ask => {
  const { readLine, readHidden } = createLineReader({ input, output, signal })
  /** Repeats the prompt until `read` returns a value instead of a problem. */
  const readUntilValid = async <Value>(
    prompt: string,
    read: (text: string) => { readonly value: Value } | string,
  ): Promise<Value | undefined> => {
    for (;;) {
      const text = (await readLine(prompt))?.trim()
      if (text === undefined) return undefined
      const found = read(text)
      if (typeof found !== 'string') return found.value
      output.write(`${found}\n`)
    }
  }

  return {
    text: (question) => {
      const { message, initial } = question
      const choices: readonly Match[] = question.choices ?? []
      const hasChoices = choices.length > 0
      let offered = choices
      if (hasChoices) output.write(`${message}\n${renderChoices(offered)}`)
      const prompt = hasChoices ? 'Number, name or part of a name' : message
      const kept = initial === undefined ? '' : ` (Enter for ${initial})`
      return readUntilValid(`${prompt}${kept}:`, (typed) => {
        const text = typed === '' ? initial : typed
        if (text === undefined) return 'Enter an answer.'
        const isNamed = ({ value }: Match): boolean => value.toLowerCase() === text.toLowerCase()
        const found = findMatches(question, text)
        const chosen =
          choices.find(isNamed) ?? findNumbered(offered, text) ?? (found.length === 1 ? found[0] : undefined)
        if (chosen !== undefined) return chosen.problem ?? chosen
        offered = found
        return `${renderChoices(offered)}Which of these?`
      })
    },
    choose: async (message, choices) => {
      await discardTyped(input)
      output.write(`${message}\n${renderChoices(choices, choices.length)}`)
      return readUntilValid(
        'Number:',
        (typed) => findNumbered(choices, typed) ?? `Enter a number from 1 to ${choices.length}.`,
      )
    },
    yesOrNo: async (message, initial = false) => {
      await discardTyped(input)
      return readUntilValid(`${message} (yes or no; Enter for ${initial ? 'yes' : 'no'}):`, (typed) => {
        if (typed === '') return { value: initial }
        if (/^no?$/i.test(typed)) return { value: false }
        return /^y(es)?$/i.test(typed) ? { value: true } : 'Enter yes or no.'
      })
    },
    secret: (message) => readHidden(`${message}:`),
  }
}

/** A longer list shows its first choices. Typing finds the others. */
const maxListed = 20

const renderChoices = (choices: readonly Choice<unknown>[], max = maxListed): string => {
  const lines = choices.slice(0, max).map(({ name }, index) => `${index + 1}. ${name}\n`)
  const more = choices.length - max
  return `${lines.join('')}${more > 0 ? `and ${more} more\n` : ''}`
}

const findNumbered = <Any>(choices: readonly Any[], text: string): Any | undefined =>
  /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined

const createLineReader = ({ input, output, signal }: Terminal) => {
  /** Returns undefined if the input ends, or after Ctrl-C or a signal. */
  const takeLine = async (lines: Interface): Promise<string | undefined> => {
    const { value } = await lines[Symbol.asyncIterator]().next()
    lines.close()
    return signal.aborted ? undefined : value
  }
  const readLine = async (prompt: string): Promise<string | undefined> => {
    if (signal.aborted) return undefined
    output.write(`${prompt} `)
    // Not as a terminal: the system echoes the input, and readline redraws nothing.
    const line = await takeLine(createInterface({ input, terminal: false, signal }))
    if (line === undefined) output.write('\n')
    return line
  }
  /** In raw mode the system echoes nothing, and the output of readline is discarded. */
  const readHidden = async (prompt: string): Promise<string | undefined> => {
    if (signal.aborted) return undefined
    const nowhere = new Writable({ write: (_part, _encoding, written) => written() })
    const line = takeLine(createInterface({ input, output: nowhere, terminal: true, historySize: 0, signal }))
    // Not earlier: the system would echo what is typed before raw mode is on.
    output.write(`${prompt} `)
    return line.finally(() => output.write('\n'))
  }
  return { readLine, readHidden }
}

/** Undefined if the question is cancelled, by Ctrl-C or the end of the input. */
const askUnlessCancelled = async <Value>(terminal: Terminal, ask: (terminal: Terminal) => Promise<Value>) => {
  // Inquirer waits forever if the input ends, for example by Ctrl-D. readline pauses the input then.
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

/** For the question, what was typed, and the keys below. */
const otherRows = 6
const fewestChoices = 7
const pageSizeOf = ({ output: { rows = 24 } }: Terminal): number => Math.max(fewestChoices, rows - otherRows)

const askLine = async ({ message, initial, check }: Question, terminal: Terminal) => {
  const validate = (text: string) => check(text.trim()) ?? true
  const answer = await askUnlessCancelled(terminal, (each) =>
    input({ message, default: initial, required: true, validate }, each),
  )
  return answer?.trim()
}

const askSearch = async (asked: Question, terminal: Terminal): Promise<string | undefined> => {
  const { message, initial, choices: listed = [] } = asked
  const isListed = initial === undefined || listed.some(({ value }) => value === initial)
  // As typed text, it would hide the other choices.
  const choices = isListed ? listed : [{ value: initial, name: sanitize(initial) }, ...listed]
  const question = { ...asked, choices }
  const { columns = 80 } = terminal.output
  let found: readonly Match[] = []
  let isDrawn = true
  let wasDrawn = true
  const source = (typed: string | undefined) => {
    found = findMatches(question, typed)
    isDrawn = false
    queueMicrotask(() => {
      isDrawn = true
    })
    return found.map(({ value, name, problem }) => ({
      ...{ value, name: cutText(name, columns - cursorWidth) },
      // Once chosen.
      short: sanitize(value),
      disabled: problem && `(${problem})`,
    }))
  }
  const validate = (): boolean => {
    wasDrawn = isDrawn
    return true
  }
  const pageSize = pageSizeOf(terminal)
  const all = choices.length > pageSize ? `${message} (${choices.length}; type to search)` : message
  const answer = await askUnlessCancelled(terminal, (each) =>
    search({ message: all, source, validate, default: initial, pageSize }, each),
  )
  // If a key and Enter arrive together, the prompt returns what it had found before the key.
  if (answer === undefined || wasDrawn) return answer
  return found.find(({ problem }) => problem === undefined)?.value ?? askSearch(question, terminal)
}

const cursorWidth = 2

export const askOn = (terminal: Terminal): Ask => ({
  text: (question) =>
    question.choices?.length ? askSearch(question, terminal) : askLine(question, terminal),
  choose: async (message, choices) => {
    await discardTyped(terminal.input)
    const pageSize = pageSizeOf(terminal)
    return askUnlessCancelled(terminal, (each) => select({ message, choices, loop: false, pageSize }, each))
  },
  yesOrNo: async (message, initial = false) => {
    await discardTyped(terminal.input)
    return askUnlessCancelled(terminal, (each) => confirm({ message, default: initial }, each))
  },
  // The toggle would show the secret to bystanders and recordings.
  secret: (message) => askUnlessCancelled(terminal, (each) => password({ message, toggleMask: false }, each)),
})
