// Questions for one key or a secret on a terminal: what was typed before they appeared does not answer them.
import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { askOn } from '../../../src/ui/prompts/ask.ts'
import { askPlainly } from '../../../src/ui/prompts/ask-plainly.ts'
import type { KeyChoice, Terminal } from '../../../src/ui/prompts/asking.ts'

const choices: readonly KeyChoice<string>[] = [
  { value: 'place', key: 'Enter', purpose: 'place it' },
  { value: 'edit', key: 'e', purpose: 'change it' },
]

/** A keyboard in memory, and its changes of the raw mode. */
const openTerminal = () => {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void modes.push(isRaw),
  })
  const output = Object.assign(new PassThrough({ encoding: 'utf8' }), { columns: 20 })
  const terminal: Terminal = { input, output, signal: new AbortController().signal }
  return { input, output, modes, terminal }
}

describe('what was typed ahead is discarded', () => {
  test.each([
    ['drawn', askOn, 'e'],
    ['plain', askPlainly, 'e\n'],
  ])('%s', async (_how, open, typed) => {
    const { input, output, terminal } = openTerminal()
    input.write('\r\n')
    const answer = open(terminal).key(choices)
    await once(output, 'data')
    input.write(typed)
    expect(await answer).toBe('edit')
  })

  test('also a line that came with the answer to the question before', async () => {
    const { input, output, terminal } = openTerminal()
    const ask = askPlainly(terminal)
    const line = ask.line({ message: 'Reference', check: () => undefined })
    await once(output, 'data')
    input.write('ref-1\n\n')
    expect(await line).toBe('ref-1')
    const answer = ask.key(choices)
    await once(output, 'data')
    input.write('e\n')
    expect(await answer).toBe('edit')
  })
})

test('raw mode ends with the question, and nothing listens any more', async () => {
  const { input, output, modes, terminal } = openTerminal()
  const answer = askOn(terminal).key(choices)
  const [drawn] = await once(output, 'data')
  expect(drawn).toBe('Enter to place it,\ne to change it ')
  expect(modes.at(-1)).toBe(true)
  input.write('\r')
  expect(await answer).toBe('place')
  expect(modes.at(-1)).toBe(false)
  expect(input.listenerCount('keypress')).toBe(0)
  expect(input.isPaused()).toBe(true)
})

test('an input that has ended cancels the question', async () => {
  const { input, terminal } = openTerminal()
  input.resume().end()
  await once(input, 'end')
  expect(await askOn(terminal).key(choices)).toBe(undefined)
})

test('the prompt for a secret appears after echo is off', async () => {
  const happened: string[] = []
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => happened.push(isRaw ? 'echoes nothing' : 'echoes'),
  })
  const output = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      happened.push(text)
      if (text === 'Key: ') input.write('canary-key-1\r')
      done()
    },
  })
  const asked = askPlainly({ input, output, signal: new AbortController().signal }).secret('Key')
  expect(await asked).toBe('canary-key-1')
  expect(happened).toEqual(['echoes nothing', 'Key: ', 'echoes', '\n'])
})
