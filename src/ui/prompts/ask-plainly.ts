// The same questions for whoever has them read out: lines written once, lines read, choices by their numbers.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { forgetTyped } from '../terminal/typed-ahead.ts'
import type { Terminal } from './ask.ts'
import { type Ask, back, type Choice, matching } from './asking.ts'

/** Of a long list, the first ones; what is typed finds the others. */
const listed = 20

const needed = 'An answer is needed.'

export const askPlainly = ({ input, output, signal }: Terminal): Ask => {
  const ahead: string[] = []
  /** Undefined at the end of the input, and where a signal comes. */
  const readLine = async (prompt: string): Promise<string | undefined> => {
    if (signal.aborted) return undefined
    output.write(`${prompt} `)
    if (ahead.length > 0) return ahead.shift()
    // No terminal to readline: it is the system that echoes, and nothing is drawn again.
    const lines = createInterface({ input, terminal: false })
    lines.on('line', (line) => ahead.push(line))
    const left = new AbortController()
    const any = { signal: AbortSignal.any([signal, left.signal]) }
    await Promise.race([once(lines, 'line', any), once(lines, 'close', any)]).catch(() => {})
    left.abort()
    lines.close()
    if (ahead.length === 0) output.write('\n')
    return signal.aborted ? undefined : ahead.shift()
  }
  /** The keys come here one by one: the system echoes none, and what readline draws goes nowhere. */
  const readUnseen = async (prompt: string): Promise<string | undefined> => {
    if (signal.aborted) return undefined
    const unseen = new Writable({ write: (_part, _encoding, done) => done() })
    const lines = createInterface({ input, output: unseen, terminal: true, historySize: 0 })
    const left = new AbortController()
    const any = { signal: AbortSignal.any([signal, left.signal]) }
    // Ctrl-C closes it, as the end of the input does.
    const line = once(lines, 'line', any).then(([text]) => String(text))
    const end = once(lines, 'close', any).then(() => undefined)
    // Not before: what is typed at once would be echoed.
    output.write(`${prompt} `)
    const text = await Promise.race([line, end]).catch(() => undefined)
    left.abort()
    lines.close()
    output.write('\n')
    return text
  }
  /** Until an answer will do: `read` says what it means, or throws away what it cannot be. */
  const until = async <Value>(
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
  const isBack = ({ value }: Choice<unknown>): boolean => value === back
  const writeChoices = (choices: readonly Choice<unknown>[]): void => {
    const others = choices.filter((each) => !isBack(each))
    const lines = others.slice(0, listed).map(({ name, unfit }, index) => {
      return `${index + 1}. ${name}${unfit === undefined ? '' : ` (${unfit})`}\n`
    })
    const more = others.length - listed
    const last = others.length < choices.length ? '0. back\n' : ''
    output.write(`${lines.join('')}${more > 0 ? `and ${more} more\n` : ''}${last}`)
  }
  /** The one that a number stands for; 0 and < are the way back, however long the list. */
  const numbered = <Value>(choices: readonly Choice<Value>[], text: string): Choice<Value> | undefined => {
    if (text === '0' || text === back) return choices.find(isBack)
    return /^\d+$/.test(text) ? choices.filter((each) => !isBack(each))[Number(text) - 1] : undefined
  }
  const withDefault = (message: string, initial: string | undefined): string =>
    initial === undefined ? `${message}:` : `${message} (Enter for ${initial}):`

  return {
    line: ({ message, initial, check }) =>
      until(withDefault(message, initial), (typed) => {
        const value = typed === '' ? initial : typed
        return value === undefined ? needed : (check(value) ?? { value })
      }),
    search: (question) => {
      const { message, initial, choices } = question
      let offered: readonly Choice[] = choices
      output.write(`${message}\n`)
      writeChoices(offered)
      return until(withDefault('A number, a name or a part of one', initial), (typed) => {
        const text = typed === '' ? initial : typed
        if (text === undefined) return needed
        const isNamed = ({ value }: Choice): boolean => value.toLowerCase() === text.toLowerCase()
        const found = matching(question, text)
        const meant =
          choices.find(isNamed) ?? numbered(offered, text) ?? (found.length === 1 ? found[0] : undefined)
        if (meant !== undefined) return meant.unfit ?? { value: meant.value }
        offered = [...found, ...choices.filter(isBack)]
        writeChoices(offered)
        return 'Which of these?'
      })
    },
    choose: (message, choices) => {
      output.write(`${message}\n`)
      writeChoices(choices)
      return until('Number:', (typed) => {
        const chosen = numbered(choices, typed)
        const least = choices.some(isBack) ? 0 : 1
        if (chosen === undefined) return `A number from ${least} to ${choices.length - 1 + least} is needed.`
        return chosen.unfit ?? { value: chosen.value }
      })
    },
    yesOrNo: async (message) => {
      await forgetTyped(input)
      return until(`${message} (yes or no; Enter for no):`, (typed) => {
        if (typed === '' || /^no?$/i.test(typed)) return { value: false }
        return /^y(es)?$/i.test(typed) ? { value: true } : 'Yes or no is needed.'
      })
    },
    secret: (message) => readUnseen(`${message}:`),
  }
}
