// Waits for a single key on a terminal in raw mode.
import { emitKeypressEvents } from 'node:readline'
import { wrapProse } from '../terminal/text-width.ts'
import { discardTyped, type Keyboard } from '../terminal/typed-ahead.ts'
import { formatKeys, type KeyChoice } from './asking.ts'
import type { Terminal } from './terminal.ts'

/** As node:readline describes a key. */
type Pressed = { readonly name?: string; readonly ctrl?: boolean; readonly meta?: boolean }

/** Undefined if the question is cancelled, by Ctrl-C, Ctrl-D, a signal or the end of the input. */
export const askKey = async <Value>(
  choices: readonly KeyChoice<Value>[],
  { input, output, signal }: Terminal,
): Promise<Value | undefined> => {
  await discardTyped(input)
  if (signal.aborted || input.readableEnded || input.destroyed) return undefined
  const { promise, resolve } = Promise.withResolvers<Value | undefined>()
  const cancel = (): void => resolve(undefined)
  const onKey = (text: string | undefined, pressed: Pressed): void => {
    if (pressed.ctrl && (pressed.name === 'c' || pressed.name === 'd')) cancel()
    const chosen = choices.find((choice) => isKey(choice, text, pressed))
    if (chosen !== undefined) resolve(chosen.value)
  }
  const keyboard: Keyboard = input
  emitKeypressEvents(keyboard)
  keyboard.setRawMode?.(true)
  keyboard.on('keypress', onKey).once('end', cancel).once('close', cancel).resume()
  signal.addEventListener('abort', cancel, { once: true })
  output.write(`${wrapProse(formatKeys(choices), output.columns ?? 80).join('\n')} `)
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
