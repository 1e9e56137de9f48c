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

/** Which money the sentence of a progress belongs to. */
const moneyOf: Readonly<Record<OrderView['progress'], OrderView['money']>> = {
  ...{ 'not-created': 'unspent', waiting: 'unspent', expired: 'unspent' },
  ...{ 'in-progress': 'spent', successful: 'spent', incomplete: 'spent', partial: 'spent' },
  ...{ failed: 'spent', rejected: 'spent', undocumented: 'spent' },
}

test('the values of progress are all listed, with the sentences of the screens', () => {
  const unseen = viewOrder(undefined, undefined, { now: 0, serviceNow: undefined, wants: 'shown' })
  const sentenceOf = (progress: OrderView['progress']): string =>
    findViewStyle({ ...unseen, money: moneyOf[progress], progress }).meaning
  const names = Object.keys(moneyOf) as OrderView['progress'][]
  const listed = readTable('What orderctl knows about an order').map(([name, sentence]) => [
    words(name)[0],
    sentence,
  ])
  for (const name of names) expect(listed).toContainEqual([name, expect.any(String)])
  for (const name of names.filter((each) => each !== 'undocumented'))
    expect(listed).toContainEqual([name, sentenceOf(name)])
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

test('the reasons of errors are those of the page, at most 80 with the names of the exit codes', () => {
  const [, section = ''] = page.split('\n### Reasons\n')
  const [lists = ''] = section.split('\n## ')
  const listed = [...lists.matchAll(/^`([a-z-]+)`\n\n((?:- .*\n)+)/gm)].flatMap(([, code, list = '']) =>
    [...list.matchAll(/^- `([a-z-]+)`: (.*)$/gm)].map(([, reason, meaning]) => [reason, code, meaning]),
  )
  const known = Object.entries(failureReasons).map(([reason, facts]) => [reason, ...facts])
  expect(listed.toSorted()).toEqual(known.toSorted())
  const names = Object.keys({ ...failureReasons, ...exitCodes })
  expect(names.length).toBe(Object.keys(failureReasons).length + Object.keys(exitCodes).length)
  expect(names.length).toBeLessThanOrEqual(80)
})
