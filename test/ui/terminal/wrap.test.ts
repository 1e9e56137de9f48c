// Prose wraps between words. table.test.ts wraps the cells of tables.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { createSuggest } from '../../../src/text/suggest.ts'
import { renderFailure } from '../../../src/ui/screens/failure.ts'
import { widthOf, wrapProse } from '../../../src/ui/terminal/text.ts'
import { suggest } from '../../support/suggest.ts'

const word = fc.oneof(
  fc.stringMatching(/^[a-z0-9'.,:/-]{1,12}$/),
  fc.stringMatching(/^[a-z]{30,60}$/),
  fc.constantFrom('https://api.example.com/order/confirm?a=1', 'sbx_4mdc49tnvrc8y0zd'),
  fc.constantFrom('ゲームカード', 'नमस्ते', '🎮'),
)
const words = fc.array(word, { minLength: 1, maxLength: 30 })
const width = fc.integer({ min: 20, max: 200 })

describe('prose', () => {
  test('keeps every word whole and in order, and fills lines that fit, except for a longer word', () => {
    fc.assert(
      fc.property(words, width, (given, columns) => {
        const lines = wrapProse(given.join(' '), columns)
        expect(lines.flatMap((line) => line.split(' '))).toEqual(given)
        for (const [index, line] of lines.entries()) {
          expect(widthOf(line) <= columns || !line.includes(' ')).toBe(true)
          const [first] = lines[index + 1]?.split(' ') ?? []
          if (first !== undefined) expect(widthOf(`${line} ${first}`)).toBeGreaterThan(columns)
        }
      }),
    )
  })

  test.each([
    ['bash', {}],
    ['PowerShell', { PSModulePath: '/opt/modules' }],
  ])('never breaks a command with hostile values for %s', (_shell, environment) => {
    const { onProfile } = createSuggest({ environment, platform: 'linux' })
    const part = fc.constantFrom('a', ' ', '  ', ', ', '. ', '; ', ',', '.', "'", '\\', '’', ': ')
    const value = fc.array(part, { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(value, words, width, (parts, after, columns) => {
        const hostile = onProfile('staging')`confirm ${parts.join('')} ${{ reference: parts.join('') }}`
        const text = `Confirm it: ${hostile}, or ${hostile}. ${after.join(' ')}`
        const lines = wrapProse(text, columns)
        expect(lines.some((line) => line.includes(`${hostile},`))).toBe(true)
        expect(lines.some((line) => line.includes(`${hostile}.`))).toBe(true)
      }),
    )
  })
})

const message = 'the outcome of confirming the order sbx_4mdc49tnvrc8y0zd is unknown: the connection was lost'
const fix = 'orderctl reconcile sbx_4mdc49tnvrc8y0zd'
const advice = `Do not order again. Settle it: ${fix}`
const failure = new Failure('unknown', message, {
  ...{ fix: () => fix, advice, violations: ['quantity: given 9, allowed 1 to 5'] },
})
const render = (given: Failure, isTerminal: boolean, columns: number): string =>
  renderFailure(given, { stderr: { colour: false, isTerminal, width: columns }, suggest }, false)

test('an error on a terminal breaks between words at every width from 20 to 200 columns', () => {
  for (let columns = 20; columns <= 200; columns += 1) {
    const text = render(failure, true, columns)
    const joined = text.split(/\s+/).join(' ').trim()
    expect(joined).toBe(`error: ${message} quantity: given 9, allowed 1 to 5 try: ${fix} ${advice}`)
    expect(text).toContain(`\ntry: ${fix}\n`)
    for (const line of text.split('\n'))
      expect(widthOf(line) <= columns || /^(\S+|(try: )?orderctl .*)$/.test(line)).toBe(true)
  }
})

test('an error that is piped is not wrapped', () => {
  expect(render(new Failure('usage', 'word '.repeat(100).trim()), false, 80).split('\n')).toHaveLength(2)
})
