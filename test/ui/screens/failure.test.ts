// src/ui/screens/failure.ts: an error about a document with many mistakes
import { expect, test } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { renderFailure } from '../../../src/ui/screens/failure.ts'
import { suggest } from '../../support/suggest.ts'

const advice = 'Correct the rows, then run the command again.'

const failureOf = (count: number) =>
  new Failure('usage', 'the rows are not valid; nothing was sent', {
    violations: Array.from({ length: count }, (_, index) => `line ${index + 2} is wrong`),
    fix: (suggest) => suggest`batch plan --help`,
    advice,
  })

const linesOf = (count: number): string[] =>
  renderFailure(failureOf(count), { stderr: { colour: false }, suggest }, false).split('\n')

test('20 violations are all shown; of more, the first 20 and how many are left', () => {
  expect(linesOf(20)).toHaveLength(24)
  expect(linesOf(20).at(-4)).toBe('  line 21 is wrong')
  expect(linesOf(1_020).slice(19)).toEqual([
    '  line 20 is wrong',
    '  line 21 is wrong',
    '  … and 1,000 more; --json shows all',
    'try: orderctl batch plan --help',
    advice,
    '',
  ])
  expect(linesOf(21).at(-4)).toBe('  … and 1 more; --json shows all')
})

test('--json shows all', () => {
  const { error } = JSON.parse(renderFailure(failureOf(1_020), { stderr: { colour: false }, suggest }, true))
  expect(error.violations).toHaveLength(1_020)
  expect([error.fix, error.advice]).toEqual(['orderctl batch plan --help', advice])
})
