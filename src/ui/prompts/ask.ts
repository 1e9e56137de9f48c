// Prompts on a terminal. Loaded only when a question is asked.
import { emitKeypressEvents } from 'node:readline'
import { confirm, input, password, search, select } from '@inquirer/prompts'
import { sanitize } from '../terminal/sanitize.ts'
import { cutText, widthOf, wrapProse } from '../terminal/text-width.ts'
import {
  type Ask,
  back,
  type Choice,
  discardTyped,
  findMatches,
  formatKeys,
  type KeyChoice,
  type Question,
  type Search,
  type Terminal,
} from './asking.ts'

/** Undefined if the question is cancelled, by Ctrl-C or the end of the input. `onEsc`: the answer of the Esc key. */
const askUnlessCancelled = async <Value>(
  terminal: Terminal,
  ask: (terminal: Terminal) => Promise<Value>,
  onEsc?: Value,
) => {
  // Inquirer waits forever if the input ends, for example by Ctrl-D. readline pauses the input then.
  const ended = new AbortController()
  const end = (): void => ended.abort()
  let isEsc = false
  const onKey = (_text: string | undefined, { name }: Pressed): void => {
    if (name !== 'escape' || onEsc === undefined) return
    isEsc = true
    end()
  }
  terminal.input.on('keypress', onKey).once('pause', end)
  try {
    return await ask({ ...terminal, signal: AbortSignal.any([terminal.signal, ended.signal]) })
  } catch {
    return isEsc ? onEsc : undefined
  } finally {
    terminal.input.off('keypress', onKey).off('pause', end)
  }
}

/** Esc goes back if the question can. */
const escOf = ({ check }: Pick<Question, 'check'>): string | undefined =>
  check(back) === undefined ? back : undefined

/** For the question, what was typed, and the keys below. */
const otherRows = 6
const fewestChoices = 7

const askSearch = async (asked: Search, terminal: Terminal): Promise<string | undefined> => {
  const { message, initial } = asked
  const isListed = initial === undefined || asked.choices.some(({ value }) => value === initial)
  // As typed text, it would hide the other choices.
  const choices = isListed ? asked.choices : [{ value: initial, name: sanitize(initial) }, ...asked.choices]
  const question = { ...asked, choices }
  let found: readonly Choice[] = []
  let isDrawn = true
  let wasDrawn = true
  const source = (typed: string | undefined) => {
    found = findMatches(question, typed)
    isDrawn = false
    queueMicrotask(() => {
      isDrawn = true
    })
    return found.map((choice) => fitChoice(choice, terminal))
  }
  const validate = (): boolean => {
    wasDrawn = isDrawn
    return true
  }
  const pageSize = Math.max(fewestChoices, (terminal.output.rows ?? 24) - otherRows)
  const all = choices.length > pageSize ? `${message} (${choices.length}; type to search)` : message
  const answer = await askUnlessCancelled(
    terminal,
    (each) => search({ message: all, source, validate, default: initial, pageSize }, each),
    escOf(asked),
  )
  // If a key and Enter arrive together, the prompt returns what it had found before the key.
  if (answer === undefined || wasDrawn) return answer
  return found.find(({ disabled }) => disabled === undefined)?.value ?? askSearch(question, terminal)
}

const toInquirerChoice = <Value>({ value, name, disabled }: Choice<Value>) => ({
  value,
  name,
  disabled: disabled && `(${disabled})`,
})

const cursorWidth = 2

/** Fits the choice on one line. Once chosen, it shows its value only. */
const fitChoice = (choice: Choice, { output: { columns = 80 } }: Terminal) => {
  const reasonWidth = choice.disabled === undefined ? 0 : widthOf(` (${choice.disabled})`)
  const name = cutText(choice.name, columns - cursorWidth - reasonWidth)
  return { ...toInquirerChoice({ ...choice, name }), short: sanitize(choice.value) }
}

export const askOn = (terminal: Terminal): Ask => ({
  backKeys: 'Esc or <',
  line: ({ message, initial, check }) =>
    askUnlessCancelled(
      terminal,
      (each) =>
        input({ message, default: initial, required: true, validate: (text) => check(text) ?? true }, each),
      escOf({ check }),
    ),
  search: (question) => askSearch(question, terminal),
  choose: (message, choices) =>
    // Shows all choices at once, because users overlook what is below the edge.
    askUnlessCancelled(terminal, (each) =>
      select({ message, choices: choices.map(toInquirerChoice), loop: false, pageSize: 10 }, each),
    ),
  key: (choices) => askKey(choices, terminal),
  yesOrNo: async (message, initial = false) => {
    await discardTyped(terminal.input)
    return askUnlessCancelled(terminal, (each) => confirm({ message, default: initial }, each))
  },
  // The toggle would show the secret to bystanders and recordings.
  secret: (message) => askUnlessCancelled(terminal, (each) => password({ message, toggleMask: false }, each)),
})

/** As node:readline describes a key. */
type Pressed = { readonly name?: string; readonly ctrl?: boolean; readonly meta?: boolean }

/** Undefined if the question is cancelled, by Ctrl-C, Ctrl-D, a signal or the end of the input. */
const askKey = async <Value>(
  choices: readonly KeyChoice<Value>[],
  { input: keyboard, output, signal }: Terminal,
): Promise<Value | undefined> => {
  await discardTyped(keyboard)
  if (signal.aborted || keyboard.readableEnded || keyboard.destroyed) return undefined
  const { promise, resolve } = Promise.withResolvers<Value | undefined>()
  const cancel = (): void => resolve(undefined)
  const onKey = (text: string | undefined, pressed: Pressed): void => {
    if (pressed.ctrl && (pressed.name === 'c' || pressed.name === 'd')) cancel()
    const chosen = choices.find((choice) => isKey(choice, text, pressed))
    if (chosen !== undefined) resolve(chosen.value)
  }
  emitKeypressEvents(keyboard)
  keyboard.setRawMode?.(true)
  keyboard.on('keypress', onKey).once('end', cancel).once('close', cancel).resume()
  signal.addEventListener('abort', cancel, { once: true })
  const { columns = 80 } = output
  const keys = formatKeys(choices)
  const lines = widthOf(keys) < columns ? keys : keys.replaceAll(', ', ',\n')
  output.write(`${wrapProse(lines, columns).join('\n')} `)
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', cancel)
    keyboard.off('keypress', onKey).off('end', cancel).off('close', cancel).pause()
    keyboard.setRawMode?.(false)
    output.write('\n')
  }
}

const isKey = (
  { key, alias }: KeyChoice<unknown>,
  text: string | undefined,
  { name, ctrl, meta }: Pressed,
): boolean => {
  if (ctrl) return false
  if (key === 'Enter') return name === 'return' || name === 'enter'
  // readline reports Esc with meta, like Alt and another key.
  if (key === 'Esc') return name === 'escape'
  const typed = meta ? undefined : text?.toLowerCase()
  return typed !== undefined && (typed === key || typed === alias)
}
