// Prompts on a terminal. Loaded only when a question is asked.
import { confirm, input, password, search, select } from '@inquirer/prompts'
import { cutText, sanitize } from '../terminal/text.ts'
import { type Ask, discardTyped, findMatches, type Match, type Question, type Terminal } from './asking.ts'

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
