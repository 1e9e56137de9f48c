// Questions on a terminal: what was typed before a decision appeared does not answer it, and a secret is not echoed.
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { type Ask, askOn, askPlainly, type Terminal } from '../../../src/ui/prompts/ask.ts'
import { waitUntil } from '../../support/wait-until.ts'

const down = '\u001b[B'
const choices = [
  { value: 'place', name: 'place it' },
  { value: 'change', name: 'change it' },
]
const choose = (ask: Ask) => ask.choose('What next?', choices)
const yesOrNo = (ask: Ask) => ask.yesOrNo('Spend it?')

/** A keyboard in memory, and its changes of the raw mode. */
const openTerminal = () => {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void modes.push(isRaw),
  })
  const output = new PassThrough({ encoding: 'utf8' })
  let text = ''
  output.on('data', (more: string) => {
    text += more
  })
  const terminal: Terminal = { input, output, signal: new AbortController().signal }
  const shows = (mark: string) => waitUntil(() => text.includes(mark))
  return { input, modes, terminal, shows }
}

describe('what was typed ahead is discarded', () => {
  test.each<[string, (terminal: Terminal) => Ask, (ask: Ask) => Promise<unknown>, string, string, unknown]>([
    ['drawn, a choice', askOn, choose, '\r\n', `${down}\r`, 'change'],
    ['plain, a choice', askPlainly, choose, '1\n', '2\n', 'change'],
    ['drawn, yes or no', askOn, yesOrNo, 'y\r\n', '\r', false],
    ['plain, yes or no', askPlainly, yesOrNo, 'y\n', '\n', false],
  ])('%s', async (_what, open, question, early, typed, value) => {
    const { input, terminal, shows } = openTerminal()
    input.write(early)
    const answer = question(open(terminal))
    await shows(question === choose ? 'next?' : 'Spend')
    input.write(typed)
    expect(await answer).toBe(value)
  })

  test('also a line that came with the answer to the question before', async () => {
    const { input, terminal, shows } = openTerminal()
    const ask = askPlainly(terminal)
    const line = ask.text({ message: 'Reference', check: () => undefined })
    await shows('Reference')
    input.write('ref-1\n1\n')
    expect(await line).toBe('ref-1')
    const answer = choose(ask)
    await shows('Number')
    input.write('2\n')
    expect(await answer).toBe('change')
  })
})

test('raw mode ends with the question, and nothing listens any more', async () => {
  const { input, modes, terminal, shows } = openTerminal()
  const answer = choose(askOn(terminal))
  await shows('change it')
  expect(modes.at(-1)).toBe(true)
  input.write('\r')
  expect(await answer).toBe('place')
  expect(modes.at(-1)).toBe(false)
  expect(input.listenerCount('pause')).toBe(0)
  expect(input.isPaused()).toBe(true)
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
