// Prompts for screen readers: every line is written once, and choices have numbers.

import { type Ask, type Choice, findMatches, formatKeys, type KeyChoice } from './asking.ts'
import { createLineReader } from './line-reader.ts'
import { findNumbered, isBack, renderChoices } from './numbered-choices.ts'
import type { Terminal } from './terminal.ts'

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
  const writeChoices = (choices: readonly Choice<unknown>[]): void =>
    void output.write(renderChoices(choices))

  return {
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
        const least = choices.some(isBack) ? 0 : 1
        if (chosen === undefined) return `Enter a number from ${least} to ${choices.length - 1 + least}.`
        return chosen.disabled ?? { value: chosen.value }
      })
    },
    key: async (choices) => {
      const named = choices.map(nameForLine)
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

/** A line cannot hold Esc. */
const nameForLine = <Value>(choice: KeyChoice<Value>): KeyChoice<Value> =>
  choice.key === 'Esc' ? { ...choice, key: 'q' } : choice
