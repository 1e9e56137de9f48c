// Lines, choices and searches, drawn and plain: every answer, and every way to cancel.
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Ask, askOn, askPlainly, type Choice, type Terminal } from '../../../src/ui/prompts/ask.ts'
import { waitUntil } from '../../support/wait-until.ts'

const choices: readonly Choice[] = [
  { value: 'GAME-US', name: 'GAME-US  Games' },
  { value: 'GAME-US-2', name: 'GAME-US-2  More games' },
  { value: 'COFFEE', name: 'COFFEE  Coffee' },
]
const check = (text: string) => (text === 'wrong' ? 'allowed: right' : undefined)
const [enter, down, ctrlC, ctrlD] = ['\r', '\u001b[B', '\u0003', '\u0004']

const line = (ask: Ask, initial?: string) => ask.text({ message: 'Amount', initial, check })
const search = (ask: Ask, initial?: string) => ask.text({ message: 'Product', initial, choices, check })
const choose = (ask: Ask) => ask.choose('What next?', choices)
const twoNames = ['AB-2', 'AB'].map((value) => ({ value, name: value }))
const searchTwo = (ask: Ask) => ask.text({ message: 'Product', choices: twoNames, check })
const yesOrNo = (ask: Ask) => ask.yesOrNo('Spend it?')
const secret = (ask: Ask) => ask.secret('Key (not shown)')
type Question = (ask: Ask) => Promise<unknown>
/** What is typed once a text is drawn. An empty text ends the input. */
type Script = Readonly<Record<string, string | AbortController>>

const typing = async (ask: (terminal: Terminal) => Promise<unknown>, script: Script) => {
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })]
  const stop = Object.values(script).find((typed) => typed instanceof AbortController)
  let raw = ''
  output.on('data', (more: string) => {
    raw += more
  })
  const text = (): string => stripVTControlCharacters(raw)
  const answer = ask({ input, output, signal: (stop ?? new AbortController()).signal })
  let from = 0
  for (const [mark, typed] of Object.entries(script)) {
    await waitUntil(() => text().slice(from).includes(mark))
    from = text().length
    if (typed instanceof AbortController) typed.abort('SIGTERM')
    else if (typed === '') input.end()
    else input.write(typed)
  }
  return { value: await answer, text: text(), raw }
}

const onDrawn = (question: Question, script: Script) =>
  typing((terminal) => question(askOn(terminal)), script)
const onPlain = (question: Question, script: Script) =>
  typing((terminal) => question(askPlainly(terminal)), script)

const asked = { line, search, choose, searchTwo, yesOrNo, secret }
const questions: [string, Question, string][] = [
  ['a line', line, 'Amount'],
  ['a search', search, 'Product'],
  ['a choice', choose, 'What next?'],
  ['yes or no', yesOrNo, 'Spend it?'],
  ['a secret', secret, 'Key'],
]

const keys = new Map([...'⏎↓⌫⇥¶'].map((sign, at) => [sign, [enter, down, '\u0015', '\t', '\n'][at]]))

/** Rows of a title, a question with its earlier response, what is typed once a text is drawn, and the value. */
const readRows = (table: string): [string, Question, Script, unknown][] =>
  table
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/ +\| /))
    .map(([title = '', question = '', ...cells]) => {
      const [, name = '', initial] = /^(\w+)(?: \((.*)\))?$/.exec(question) ?? []
      const ask = asked[name as keyof typeof asked] ?? expect.fail(name)
      const steps = cells.slice(0, -1).map((cell) => {
        const [mark = '', typed = ''] = cell.split(' « ')
        return [mark.replaceAll('¶', '\n'), typed.replace(/[⏎↓⌫⇥¶]/g, (each) => keys.get(each) ?? '')]
      })
      return [title, (asks) => ask(asks, initial), Object.fromEntries(steps), cells.at(-1)]
    })

const drawn = `
  a line is what is typed                 | line          | Amount « 25⏎ | 25
  a line is what it offers                | line (20)     | (20) « ⏎ | 20
  a wrong line stays to be mended         | line          | Amount « wrong⏎ | allowed: right « ⌫2⏎ | 2
  no line                                 | line          | Amount « ⏎ | You must provide a value « 25⏎ | 25
  the first that is found                 | search        | COFFEE « ⏎ | GAME-US
  one below                               | search        | COFFEE « ↓ | ❯ GAME-US-2 « ⏎ | GAME-US-2
  what has the typed part                 | search        | COFFEE « coff | ❯ COFFEE « ⏎ | COFFEE
  what a key finds that comes with Enter  | searchTwo     | AB-2 « A | Product A « B⏎ | AB
  what is typed, if nothing has it        | search        | COFFEE « NEW | ❯ NEW « ⏎ | NEW
  what it was before                      | search (COFFEE) | ❯ COFFEE « ⏎ | COFFEE
  what was typed before                   | search (NEW)  | ❯ NEW « ⏎ | NEW
  yes                                     | yesOrNo       | (y/N) « y⏎ | true
  neither                                 | yesOrNo       | (y/N) « what?⏎ | You must answer « ⌫Y⏎ | true`

describe('drawn', () => {
  test.each(readRows(drawn))('%s', async (_what, question, script, value) => {
    expect(String((await onDrawn(question, script)).value)).toBe(value)
  })

  test('a search shows why what is typed is wrong', async () => {
    expect((await onDrawn(search, { COFFEE: 'wrong', 'allowed: right': ctrlC })).value).toBe(undefined)
  })

  test('a long name is cut, and TAB still finds it', async () => {
    const long = [{ value: 'GAME-US', name: `GAME-US  ${'many words '.repeat(10)}` }]
    const ask = (asks: Ask) => asks.text({ message: 'Product', choices: long, check })
    const cut = `❯ ${long[0]?.name.slice(0, 77)}…`
    const { value, text } = await onDrawn(ask, { [cut]: '\t', 'words many': enter })
    expect(value).toBe('GAME-US')
    expect(text).toMatch(/✔ Product GAME-US\n*$/)
    // What was typed by TAB is none of its own.
    expect(text).not.toMatch(/^ {2}GAME-US/m)
  })

  test('a secret is not drawn, its length is hidden, and Ctrl-T does not show it', async () => {
    const { value, text } = await onDrawn(secret, { Key: `s3cr3t\u0014-k3y\u0014${enter}` })
    expect(value).toBe('s3cr3t-k3y')
    expect(text).not.toMatch(/s3c|\*|k3y|toggle/)
  })

  test.each(questions)('%s can be cancelled', async (_what, question, mark) => {
    for (const end of [ctrlC, ctrlD, '', new AbortController()])
      expect((await onDrawn(question, { [mark]: end })).value).toBe(undefined)
  })
})

const plain = `
  a line is what is typed           | line         | Amount: « 25¶ | 25
  a line is what it offers          | line (20)    | (Enter for 20): « ¶ | 20
  a wrong line                      | line         | Amount: « wrong¶ | allowed: right¶Amount: « 2¶ | 2
  no line                           | line         | Amount: « ¶ | Enter an answer.¶Amount: « 2¶ | 2
  a number                          | search       | part of a name « 3¶ | COFFEE
  a name that others begin with     | search       | part of a name « GAME-US¶ | GAME-US
  a part of names                   | search       | part of a name « more¶ | 2. more¶Which « 2¶ | more
  a new name                        | search       | part of a name « NEW¶ | NEW
  a wrong name                      | search       | part of a name « wrong¶ | allowed: right « 1¶ | GAME-US
  none of the choices               | choose       | Number: « 4¶ | number from 1 to 3. « 1¶ | GAME-US
  neither                           | yesOrNo      | Spend it? « ok¶ | Enter yes or no. « y¶ | true`

describe('plain', () => {
  test.each(readRows(plain))('%s', async (_what, question, script, value) => {
    expect(String((await onPlain(question, script)).value)).toBe(value)
  })

  test('a long list is shortened', async () => {
    const many = Array.from({ length: 25 }, (_, index) => ({ value: `P-${index}`, name: `P-${index}` }))
    const ask = (asks: Ask) => asks.text({ message: 'Product', choices: many, check })
    const { text, value } = await onPlain(ask, { 'part of a name': '25\n' })
    expect(text).toContain('\n20. P-19\nand 5 more\nNumber, name')
    expect(value).toBe('P-24')
  })

  test('nothing is redrawn or coloured', async () => {
    for (const [, question, mark] of questions) {
      expect((await onPlain(question, { [mark]: '' })).raw).not.toContain('\u001b')
    }
  })

  test('nothing is written while a secret is typed', async () => {
    expect(await onPlain(secret, { 'Key (not shown): ': 's3cr3tt\u007f-k3y\r' })).toEqual({
      value: 's3cr3t-k3y',
      text: 'Key (not shown): \n',
      raw: 'Key (not shown): \n',
    })
  })

  test.each(questions)('%s can be cancelled', async (_what, question, mark) => {
    for (const end of ['', new AbortController()]) {
      expect((await onPlain(question, { [mark]: end })).value).toBe(undefined)
    }
  })
})

test('an earlier answer that is not listed comes first, and hides no other choice', async () => {
  const own = (ask: Ask) => search(ask, 'OWN-SKU')
  const { value, text } = await onDrawn(own, { 'COFFEE  Coffee': enter })
  expect(value).toBe('OWN-SKU')
  expect(text).toContain('❯ OWN-SKU')
  expect(await onDrawn(own, { '❯ OWN-SKU': down, '❯ GAME-US': enter })).toMatchObject({ value: 'GAME-US' })
})
