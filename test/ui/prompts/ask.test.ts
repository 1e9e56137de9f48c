// Prompts on a terminal in memory: input, output, and cancelling.
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { askOn } from '../../../src/ui/prompts/ask.ts'
import type { Terminal } from '../../../src/ui/prompts/terminal.ts'
import { waitUntil } from '../../support/wait-until.ts'

type Question<Value> = (message: string, terminal: Terminal) => Promise<Value>

const askYesOrNo: Question<boolean | undefined> = (message, terminal) => askOn(terminal).yesOrNo(message)
const askSecret: Question<string | undefined> = (message, terminal) => askOn(terminal).secret(message)
const askLine: Question<string | undefined> = (message, terminal) =>
  askOn(terminal).line({ message, check: (text) => (text === 'no' ? 'no is none' : undefined) })

const enter = '\r'
const eraseLine = '\u0015'
const ctrlC = '\u0003'
const ctrlD = '\u0004'

/** Asks, types each part once what came of the last is drawn, and tells the answer and all that was drawn. */
const asked = async <Value>(ask: Question<Value>, ...parts: string[]) => {
  const { answer, drawn, input, text } = asking(ask)
  await drawn
  for (const [index, part] of parts.entries()) {
    if (index > 0) await waitUntil(() => text().includes('You must'))
    input.write(part)
  }
  return answer
}

const asking = <Value>(ask: Question<Value>) => {
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })]
  const interrupted = new AbortController()
  let text = ''
  const drawn = once(output, 'data')
  output.on('data', (more: string) => {
    text += more
  })
  const given = ask('Spend it?', { input, output, signal: interrupted.signal })
  const answer = given.then((value) => ({ value, text: stripVTControlCharacters(text) }))
  return { input, interrupted, drawn, answer, text: () => text }
}

describe('yes or no', () => {
  test.each([
    ['y', true],
    ['yes', true],
    ['Y', true],
    ['n', false],
    ['no', false],
    ['', false],
  ])('%j is %s', async (typed, value) => {
    expect((await asked(askYesOrNo, typed + enter)).value).toBe(value)
  })

  test('asks again after any other answer', async () => {
    const { value, text } = await asked(askYesOrNo, `what?${enter}`, `${eraseLine}y${enter}`)
    expect(value).toBe(true)
    expect(text).toContain('You must answer with "Yes" or "No"')
  })

  test('shows the question and the default no', async () => {
    expect((await asked(askYesOrNo, enter)).text).toContain('Spend it? (y/N)')
  })
})

describe('a line', () => {
  test('returns the typed text', async () => {
    const { value, text } = await asked(askLine, `https://a.example${enter}`)
    expect(value).toBe('https://a.example')
    expect(text).toContain('Spend it? https://a.example')
  })

  test('asks again after an empty answer', async () => {
    const { value, text } = await asked(askLine, enter, `later${enter}`)
    expect(value).toBe('later')
    expect(text).toContain('You must provide a value')
  })
})

test('a secret is not drawn, and its length is hidden', async () => {
  const { value, text } = await asked(askSecret, `s3cr3t-k3y${enter}`)
  expect(value).toBe('s3cr3t-k3y')
  expect(text).not.toMatch(/s3c|\*|k3y/)
})

test('a secret cannot be made visible by Ctrl-T', async () => {
  const { value, text } = await asked(askSecret, `s3cr3t\u0014-k3y\u0014${enter}`)
  expect(value).toBe('s3cr3t-k3y')
  expect(text).not.toMatch(/s3c|k3y|toggle/)
})

describe.each<[string, Question<unknown>, unknown]>([
  ['yes or no', askYesOrNo, undefined],
  ['a line', askLine, undefined],
  ['a secret', askSecret, undefined],
])('%s can be cancelled', (_name, ask, value) => {
  test('by Ctrl-C', async () => {
    expect((await asked(ask, ctrlC)).value).toBe(value)
  })

  test('by Ctrl-D', async () => {
    expect((await asked(ask, ctrlD)).value).toBe(value)
  })

  test('by the end of the input', async () => {
    const { answer, drawn, input } = asking(ask)
    await drawn
    input.end()
    expect((await answer).value).toBe(value)
  })

  test('by a signal', async () => {
    const { answer, drawn, interrupted } = asking(ask)
    await drawn
    interrupted.abort('SIGTERM')
    expect((await answer).value).toBe(value)
  })
})
