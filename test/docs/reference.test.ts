// docs/reference.md says what the view says, and lists the fields of each result.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createResultSchema, nameType } from '../../src/commands/help/topics.ts'
import { exitCodes, failureReasons } from '../../src/errors.ts'
import { type OrderView, viewOrder } from '../../src/operations/view.ts'
import { loadAllResults } from '../../src/program/all-results.ts'
import { orderFields } from '../../src/ui/screens/orders.ts'
import { findViewStyle } from '../../src/ui/screens/state.ts'
import { findInner, listNamed, type ResultFields } from '../../src/ui/text/result-fields.ts'
import { readRows } from '../support/markdown.ts'

const allResults = await loadAllResults()
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

test('the fields of an order are those that the commands print', () => {
  const rows = listNamed(orderFields).map(
    ([name, type, meaning]) => `| \`${name}\` | ${nameType(type)} | ${meaning} |`,
  )
  const listed = readTable('JSON').map(([field, type, meaning]) => `| ${field} | ${type} | ${meaning} |`)
  expect(listed.join('\n')).toBe(rows.join('\n'))
})

/** 'batch show --rows' is batch-show-rows.json. */
const fileOf = (command: string): string => `${command.replaceAll(/ (--)?|^--/g, '-').replace(/^-/, '')}.json`

test.each([...allResults])('docs/schemas describes %s', async (command, type) => {
  const schema = `${JSON.stringify(createResultSchema(command, type), undefined, 2)}\n`
  await expect(schema).toMatchFileSnapshot(`../../docs/schemas/${fileOf(command)}`)
})

test('docs/schemas has no other files', () => {
  expect(readdirSync('docs/schemas').toSorted()).toEqual([...allResults.keys()].map(fileOf).toSorted())
})

/** The types of a name, in all results: an object or a list may have different fields. */
const listTypes = (fields: ResultFields<never>): (readonly [string, string])[] =>
  listNamed(fields).flatMap(([name, type]) => [
    // Words are a text.
    [name, nameType(type).replace(/^one of .*/, 'text')] as const,
    ...listTypes(findInner(type) ?? []),
  ])

test('no name has two types', () => {
  const all = [...allResults.values()].flatMap((type) => listTypes(findInner(type) ?? []))
  const byName = Map.groupBy(all, ([name]) => name)
  const several = [...byName].map(([name, types]) => [name, ...new Set(types.map(([, type]) => type))])
  expect(several.filter((types) => types.length > 2)).toEqual([])
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
