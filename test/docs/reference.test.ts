// docs/reference.md says what the view says, and lists the fields of each result.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitCodes, failureReasons } from '../../src/errors.ts'
import { type OrderView, viewOrder } from '../../src/operations/view.ts'
import { fieldNames } from '../../src/program/field-names.ts'
import { cardListFields } from '../../src/ui/cards/card-fields.ts'
import { findViewStyle } from '../../src/ui/screens/state.ts'
import { listNames } from '../../src/ui/text/result-fields.ts'
import { readRows } from '../support/markdown.ts'

const page = readFileSync('docs/reference.md', 'utf8')

/** The rows of a table below a heading, without its head. */
const readTable = (heading: string): string[][] => {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [body = ''] = section.split(/\n#/)
  return readRows(body)
}

const words = (cell = ''): string[] => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, word]) => word as string)

test('the sentences of each value are those of the screens', () => {
  const rows = readTable('What orderctl knows about an order')
  const unseen = viewOrder(undefined, undefined, { now: 0, serviceNow: undefined, wants: 'shown' })
  const styleOf = (view: Partial<OrderView>): string => findViewStyle({ ...unseen, ...view }).meaning
  for (const [money, progress, sentence] of rows) {
    const [value] = words(money) as OrderView['money'][]
    if (progress?.startsWith('any')) {
      const reading = progress.includes('stranger') ? 'stranger' : 'behind'
      expect(styleOf({ reading })).toBe(sentence)
    } else
      for (const each of words(progress) as OrderView['progress'][])
        expect([value, each, value && styleOf({ money: value, progress: each })]).toEqual([
          value,
          each,
          sentence,
        ])
  }
  expect(rows.length).toBe(18)
})

test('the tree of docs/safety.md has each value of money', () => {
  const branches = readFileSync('docs/safety.md', 'utf8').matchAll(/^[├└]─ ([a-z-]+) ─/gm)
  const values = new Set(readTable('What orderctl knows about an order').flatMap(([money]) => words(money)))
  expect([...branches].map(([, value]) => value).sort()).toEqual([...values].sort())
})

test('the fields of each result are those that it prints', () => {
  const listed = readTable('JSON').map(([command, names]) => `| ${command} | ${names} |`)
  // The service's page describes the fields of an invoice.
  const namesOf = (names: readonly string[]): string =>
    names
      .filter((name) => !/invoice\./i.test(name))
      .map((name) => `\`${name}\``)
      .join(', ')
  const byNames = Map.groupBy(fieldNames, ([, names]) => namesOf(names))
  const expected = [...byNames].map(([names, commands]) => {
    const keys = commands.map(([command]) => `\`${command}\``).join(', ')
    return `| ${keys} | ${names} |`
  })
  expect(listed.join('\n')).toBe(expected.join('\n'))
  expect(page).toContain(`${namesOf(listNames(cardListFields))}.`)
})

test('the reasons of errors are those of the table, at most 80 with the names of the exit codes', () => {
  const [, section = ''] = page.split('\n### Reasons\n')
  const [table = ''] = section.split('\n## ')
  const listed = readRows(table).map(([reason, code, meaning]) => [words(reason)[0], words(code)[0], meaning])
  expect(listed).toEqual(Object.entries(failureReasons).map(([reason, facts]) => [reason, ...facts]))
  const names = Object.keys({ ...failureReasons, ...exitCodes })
  expect(names.length).toBe(Object.keys(failureReasons).length + Object.keys(exitCodes).length)
  expect(names.length).toBeLessThanOrEqual(80)
})
