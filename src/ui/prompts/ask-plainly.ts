// Prompts for screen readers: every line is written once, and choices have numbers.

import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import {
  type Ask,
  back,
  type Choice,
  discardTyped,
  findMatches,
  formatKeys,
  type Terminal,
} from './asking.ts'

const emptyAnswer = 'Enter an answer.'

export const askPlainly = ({ input, output, signal }: Terminal): Ask => {
  const { readLine, readHidden, discardUnread } = createLineReader({ input, output, signal })
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
  const writeChoices = (choices: readonly Choice<unknown>[]) => output.write(renderChoices(choices))

  return {
    backKeys: back,
    line: ({ message, initial, check }) =>
      readUntilValid(formatPrompt(message, initial), (typed) => {
        const value = typed === '' ? initial : typed
        return value === undefined ? emptyAnswer : (check(value) ?? { value })
      }),
    search: (question) => {
      const { message, initial, choices } = question
      let offered: readonly Choice[] = choices
      output.write(`${message}\n`)
      writeChoices(offered)
      return readUntilValid(formatPrompt('Number, name or part of a name', initial), (typed) => {
        const text = typed === '' ? initial : typed
        if (text === undefined) return emptyAnswer
        const isNamed = ({ value }: Choice): boolean => value.toLowerCase() === text.toLowerCase()
        const found = findMatches(question, text)
        const chosen =
          choices.find(isNamed) ?? findNumbered(offered, text) ?? (found.length === 1 ? found[0] : undefined)
        if (chosen !== undefined) return chosen.disabled ?? { value: chosen.value }
        offered = [...found, ...choices.filter(isBack)]
        writeChoices(offered)
        return 'Which of these?'
      })
    },
    choose: (message, choices) => {
      output.write(`${message}\n`)
      writeChoices(choices)
      return readUntilValid('Number:', (typed) => {
        const chosen = findNumbered(choices, typed)
        if (chosen === undefined) return `Enter a number from 1 to ${choices.length}.`
        return chosen.disabled ?? { value: chosen.value }
      })
    },
    key: async (choices) => {
      // A user cannot type Esc in a line, so q replaces it.
      const named = choices.map((choice) => (choice.key === 'Esc' ? { ...choice, key: 'q' } : choice))
      const letters = named.map(({ key }) => key).filter((key) => key !== enterKey)
      await discardUnread()
      return readUntilValid(`${formatKeys(named)}:`, (typed) => {
        const wanted = typed === '' ? enterKey : typed.toLowerCase()
        const chosen = named.find(({ key, alias }) => wanted === key || wanted === alias)
        return chosen ?? `Press Enter, or type ${letters.join(' or ')}.`
      })
    },
    yesOrNo: async (message, initial = false) => {
      await discardUnread()
      return readUntilValid(`${message} (yes or no; Enter for ${initial ? 'yes' : 'no'}):`, (typed) => {
        if (typed === '') return { value: initial }
        if (/^no?$/i.test(typed)) return { value: false }
        return /^y(es)?$/i.test(typed) ? { value: true } : 'Enter yes or no.'
      })
    },
    secret: (message) => readHidden(`${message}:`),
  }
}

const formatPrompt = (message: string, initial: string | undefined): string =>
  initial === undefined ? `${message}:` : `${message} (Enter for ${initial}):`

const enterKey = 'Enter'

/** A longer list shows its first choices. Typing finds the others. */
const maxListed = 20

const isBack = ({ value }: Choice<unknown>): boolean => value === back

const renderChoices = (choices: readonly Choice<unknown>[]): string => {
  const others = choices.filter((each) => !isBack(each))
  const lines = others.slice(0, maxListed).map(({ name, disabled }, index) => {
    return `${index + 1}. ${name}${disabled === undefined ? '' : ` (${disabled})`}\n`
  })
  const more = others.length - maxListed
  const last = others.length < choices.length ? '0. back\n' : ''
  return `${lines.join('')}${more > 0 ? `and ${more} more\n` : ''}${last}`
}

const findNumbered = <Value>(choices: readonly Choice<Value>[], text: string): Choice<Value> | undefined => {
  if (text === '0' || text === back) return choices.find(isBack)
  return /^\d+$/.test(text) ? choices.filter((each) => !isBack(each))[Number(text) - 1] : undefined
}

const createLineReader = ({ input, output, signal }: Terminal) => {
  const unread: string[] = []
  /** Closes the interface. Returns undefined if the input ends, or after Ctrl-C or a signal. */
  const takeLine = async (lines: Interface): Promise<string | undefined> => {
    const done = new AbortController()
    const either = { signal: AbortSignal.any([signal, done.signal]) }
    const line = once(lines, 'line', either).then(([text]) => String(text))
    const end = once(lines, 'close', either).then(() => undefined)
    const text = await Promise.race([line, end]).catch(() => undefined)
    done.abort()
    lines.close()
    return text
  }
  const readLine = async (prompt: string): Promise<string | undefined> => {
    if (signal.aborted) return undefined
    output.write(`${prompt} `)
    if (unread.length > 0) return unread.shift()
    // Not as a terminal: the system echoes the input, and readline redraws nothing.
    const lines = createInterface({ input, terminal: false })
    lines.on('line', (line) => unread.push(line))
    await takeLine(lines)
    if (unread.length === 0) output.write('\n')
    return signal.aborted ? undefined : unread.shift()
  }
  /** In raw mode the system echoes nothing, and the output of readline is discarded. */
  const readHidden = async (prompt: string): Promise<string | undefined> => {
    if (signal.aborted) return undefined
    const nowhere = new Writable({ write: (_part, _encoding, written) => written() })
    const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
    const text = takeLine(lines)
    // Not earlier: the system would echo what is typed before raw mode is on.
    output.write(`${prompt} `)
    return text.finally(() => output.write('\n'))
  }
  /** Discards what was typed ahead on a terminal. From a pipe, all input is sent ahead. */
  const discardUnread = async (): Promise<void> => {
    await discardTyped(input)
    if ('isTTY' in input && input.isTTY === true) unread.length = 0
  }
  return { readLine, readHidden, discardUnread }
}
