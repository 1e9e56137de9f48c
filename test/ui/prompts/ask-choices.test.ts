// Lines, choices and searches, drawn and plain: every answer, and every way to cancel.
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { askOn } from '../../../src/ui/prompts/ask.ts'
import { askPlainly } from '../../../src/ui/prompts/ask-plainly.ts'
import type { Terminal } from '../../../src/ui/prompts/asking.ts'
import { type Ask, backChoice, type Choice } from '../../../src/ui/prompts/asking.ts'
import { waitUntil } from '../../support/wait-until.ts'

const choices: readonly Choice[] = [
  { value: 'GAME-US', name: 'GAME-US  Games' },
  { value: 'GAME-US-2', name: 'GAME-US-2  More games', disabled: 'in the order' },
  { value: 'COFFEE', name: 'COFFEE  Coffee' },
]
const check = (text: string) => (text === 'wrong' ? 'allowed: right' : undefined)
const [enter, down, ctrlC, ctrlD, erase] = ['\r', '\u001b[B', '\u0003', '\u0004', '\u0015']
const escapeKey = '\u001b'

const line = (ask: Ask, initial?: string) => ask.line({ message: 'Amount', initial, check })
const search = (ask: Ask, initial?: string) => ask.search({ message: 'Product', initial, choices, check })
const choose = (ask: Ask) => ask.choose('What next?', choices)
const withBack = [...choices, backChoice]
const searchOrBack = (ask: Ask) => ask.search({ message: 'Product', choices: withBack, check })
const yesOrNo = (ask: Ask) => ask.yesOrNo('Spend it?')
const keys = (ask: Ask) =>
  ask.key([
    { value: 'place', key: 'Enter', purpose: 'place it' },
    { value: 'edit', key: 'e', alias: '<', purpose: 'change it' },
    { value: 'cancel', key: 'Esc', purpose: 'cancel' },
  ])
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

const questions: [string, Question, string][] = [
  ['a line', line, 'Amount'],
  ['a search', search, 'Product'],
  ['a choice', choose, 'What next?'],
  ['yes or no', yesOrNo, 'Spend it?'],
  ['a secret', secret, 'Key'],
  ['a key', keys, 'to cancel'],
]

describe('drawn', () => {
  test.each<[string, Question, Script, unknown]>([
    ['a line is what is typed', line, { Amount: `25${enter}` }, '25'],
    ['a line is what it offers', (ask) => line(ask, '20'), { '(20)': enter }, '20'],
    [
      'a wrong line stays to be mended',
      line,
      { Amount: `wrong${enter}`, 'allowed: right': `${erase}2${enter}` },
      '2',
    ],
    ['the first that is found', search, { COFFEE: enter }, 'GAME-US'],
    ['one below, past what cannot be chosen', search, { COFFEE: down, '❯ COFFEE': enter }, 'COFFEE'],
    ['what has the typed part', search, { COFFEE: 'coff', '❯ COFFEE': enter }, 'COFFEE'],
    [
      'what a key finds that comes with Enter at once',
      (ask) =>
        ask.search({
          message: 'Product',
          choices: [
            { value: 'AB-2', name: 'AB-2' },
            { value: 'AB', name: 'AB' },
          ],
          check,
        }),
      { 'AB-2': 'A', 'Product A': `B${enter}` },
      'AB',
    ],
    ['what is typed, where nothing has it', search, { COFFEE: 'NEW', '❯ NEW': enter }, 'NEW'],
    ['what it was before', (ask) => search(ask, 'COFFEE'), { '❯ COFFEE': enter }, 'COFFEE'],
    ['what was typed before', (ask) => search(ask, 'NEW'), { '❯ NEW': enter }, 'NEW'],
    ['a choice', choose, { 'What next?': down + down, '❯ COFFEE': enter }, 'COFFEE'],
    [
      'the way back, at the end of what is found',
      searchOrBack,
      { '< back': down + down, '❯ < back': enter },
      '<',
    ],
    [
      'the way back, typed by TAB',
      searchOrBack,
      { '< back': `${down}${down}\t`, 'Product < back': enter },
      '<',
    ],
    [
      'no way back, where a part of its name is typed',
      searchOrBack,
      { '< back': 'ack', '❯ ack': enter },
      'ack',
    ],
    ['yes', yesOrNo, { '(y/N)': `y${enter}` }, true],
    ['no', yesOrNo, { '(y/N)': enter }, false],
    ['yes, in full', yesOrNo, { '(y/N)': `yes${enter}` }, true],
    ['no, in full', yesOrNo, { '(y/N)': `no${enter}` }, false],
    ['neither', yesOrNo, { '(y/N)': `what?${enter}`, 'You must answer': `${erase}Y${enter}` }, true],
    ['no line', line, { Amount: enter, 'You must provide a value': `25${enter}` }, '25'],
    ['the key Enter', keys, { 'Esc to cancel': enter }, 'place'],
    ['a letter, also a capital, without Enter', keys, { 'Esc to cancel': 'E' }, 'edit'],
    ['another key that does the same', keys, { 'Esc to cancel': '<' }, 'edit'],
    ['the key Esc', keys, { 'Esc to cancel': escapeKey }, 'cancel'],
    ['none of other keys and arrows', keys, { 'Esc to cancel': `xy${down}\u001be${enter}` }, 'place'],
    ['only the first of several keys', keys, { 'Esc to cancel': `e${enter}` }, 'edit'],
  ])('%s', async (_what, question, script, value) => {
    expect((await onDrawn(question, script)).value).toBe(value)
  })

  test('a search shows why a choice is disabled', async () => {
    expect((await onDrawn(search, { COFFEE: ctrlC })).text).toContain('GAME-US-2  More games (in the order)')
    expect((await onDrawn(search, { COFFEE: 'wrong', 'allowed: right': ctrlC })).value).toBe(undefined)
  })

  test('a long name is cut, and TAB still finds it', async () => {
    const long = [{ value: 'GAME-US', name: `GAME-US  ${'many words '.repeat(10)}` }]
    const ask = (asks: Ask) => asks.search({ message: 'Product', choices: long, check })
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
    for (const end of [ctrlC, ctrlD, '', new AbortController()]) {
      expect((await onDrawn(question, { [mark]: end })).value).toBe(undefined)
    }
  })
})

describe('plain', () => {
  const number = 'Number, name or part of a name'

  test.each<[string, Question, Script, unknown]>([
    ['a line is what is typed', line, { 'Amount:': '25\n' }, '25'],
    ['a line is what it offers', (ask) => line(ask, '20'), { '(Enter for 20):': '\n' }, '20'],
    ['a wrong line', line, { 'Amount:': 'wrong\n', 'allowed: right\nAmount:': '2\n' }, '2'],
    ['no line', line, { 'Amount:': '\n', 'Enter an answer.\nAmount:': '2\n' }, '2'],
    ['a number', search, { [number]: '3\n' }, 'COFFEE'],
    ['a name, in small letters', search, { [number]: 'coffee\n' }, 'COFFEE'],
    ['a name that others begin with', search, { [number]: 'GAME-US\n' }, 'GAME-US'],
    ['a part of names', search, { [number]: 'more\n', '2. more\nWhich of these?': '2\n' }, 'more'],
    ['a new name', search, { [number]: 'NEW\n' }, 'NEW'],
    ['a wrong name', search, { [number]: 'wrong\n', 'allowed: right': '1\n' }, 'GAME-US'],
    ['a disabled choice', search, { [number]: '2\n', 'in the order\nN': '3\n' }, 'COFFEE'],
    ['a choice', choose, { 'Number:': '3\n' }, 'COFFEE'],
    ['none of the choices', choose, { 'Number:': '4\n', 'number from 1 to 3.': '1\n' }, 'GAME-US'],
    ['the way back, by its number', searchOrBack, { [number]: '0\n' }, '<'],
    ['the way back, typed', searchOrBack, { [number]: '<\n' }, '<'],
    [
      'the way back, from what was found',
      searchOrBack,
      { [number]: 'game\n', '0. back\nWhich of these?': '0\n' },
      '<',
    ],
    [
      'no way back, by a part of its name',
      searchOrBack,
      { [number]: 'c\n', '1. COFFEE  Coffee\n2. c\n0. back\nWhich of these?': '1\n' },
      'COFFEE',
    ],
    ['the key Enter', keys, { 'e to change it, q to cancel:': '\n' }, 'place'],
    ['a letter', keys, { 'q to cancel:': 'E\n' }, 'edit'],
    ['q in place of Esc', keys, { 'q to cancel:': 'q\n' }, 'cancel'],
    ['no such key', keys, { 'q to cancel:': 'place it\n', 'Press Enter, or type e or q.': '<\n' }, 'edit'],
    ['yes', yesOrNo, { 'Spend it?': 'yes\n' }, true],
    ['no', yesOrNo, { 'Spend it?': '\n' }, false],
    ['neither', yesOrNo, { 'Spend it?': 'ok\n', 'Enter yes or no.': 'y\n' }, true],
  ])('%s', async (_what, question, script, value) => {
    expect((await onPlain(question, script)).value).toBe(value)
  })

  test('choices are numbered lines', async () => {
    expect((await onPlain(choose, { 'Number:': '1\n' })).text).toBe(
      'What next?\n1. GAME-US  Games\n2. GAME-US-2  More games (in the order)\n3. COFFEE  Coffee\nNumber: ',
    )
  })

  test('back is the last choice, also in a shortened list', async () => {
    const many = Array.from({ length: 25 }, (_, index) => ({ value: `P-${index}`, name: `P-${index}` }))
    const ask = (asks: Ask) => asks.search({ message: 'Product', choices: [...many, backChoice], check })
    const { text, value } = await onPlain(ask, { [number]: '25\n' })
    expect(text).toContain('\n20. P-19\nand 5 more\n0. back\nNumber, name')
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

  test('a secret is cancelled by Ctrl-C and Ctrl-D', async () => {
    for (const key of [ctrlC, ctrlD]) expect((await onPlain(secret, { Key: key })).value).toBe(undefined)
  })

  test('lines that were typed ahead answer the next questions', async () => {
    const both = async (ask: Ask) => [await line(ask), await yesOrNo(ask)]
    expect((await onPlain(both, { 'Amount:': '25\ny\n' })).value).toEqual(['25', true])
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
