// Damaged files of the spool: each field must be there and have its type.
import { expect, test } from 'vitest'
import { parseFile } from '../../../src/journal/spool/spool.ts'

const parseOutcome = (text: string) => parseFile('1.json', text).outcome
const parseReveals = (text: string) => parseFile('1.json', text).reveals

const saved = {
  ...{ journal: 'id', address: 'postgres://host/journal', name: 'o1', order: 1, call: 2 },
  ...{ startedAt: 2_000, at: 2_100, isUncertain: true },
}
const responded = { status: 404, refusal: 'product-not-found' }
const created = { orderId: 'o1', total: '25', products: '[]', createdAt: 1_050, expiresAt: 601_000 }
const create = { ...saved, operation: 'create', end: { outcome: 'done', ...responded, ...created } }
const confirm = {
  ...{ ...saved, operation: 'confirm', end: { outcome: 'unknown', ...responded } },
  found: { state: 'processing', isPaid: true, total: '25' },
}
const reveals = {
  ...{ database: 'localhost:5432/journal', address: 'postgres://host/journal', at: 2_000 },
  by: { role: 'ana', user: 'tester', host: 'desk' },
  reveals: [
    {
      ...{ profile: 'shop', origin: 'https://shop', orderId: 'o1', skus: ['GAME-US'] },
      ...{ at: 1, who: 'ana', how: 'qr' },
    },
  ],
}

/** Values of other types. A missing field is undefined. */
const listWrong = (value: unknown): readonly unknown[] => {
  if (typeof value === 'string') return [undefined, null, 7, true, [], {}]
  if (typeof value === 'number') return [undefined, null, '7', true, 1.5, 1e300, -1, [], {}]
  if (typeof value === 'boolean') return [undefined, null, 1, 'true', {}]
  return Array.isArray(value) ? [undefined, null, 'text', {}] : [undefined, null, 'text', 7, []]
}

function* listDamages(value: unknown, path = ''): Generator<readonly [string, unknown]> {
  for (const wrong of listWrong(value)) yield [`${path} is ${JSON.stringify(wrong) ?? 'missing'}`, wrong]
  if (typeof value !== 'object' || value === null) return
  for (const [key, each] of Object.entries(value)) {
    const replace = (by: unknown) =>
      Array.isArray(value) ? value.with(Number(key), by) : { ...value, [key]: by }
    for (const [name, damaged] of listDamages(each, `${path}.${key}`)) yield [name, replace(damaged)]
  }
}

test.each<[string, (text: string) => unknown, object, string[]]>([
  [
    'create',
    parseOutcome,
    create,
    [
      '.isUncertain',
      '.end.status',
      '.end.refusal',
      '.end.total',
      '.end.products',
      '.end.createdAt',
      '.end.expiresAt',
    ],
  ],
  [
    'confirm',
    parseOutcome,
    confirm,
    ['.isUncertain', '.end.status', '.end.refusal', '.found', '.found.total'],
  ],
  ['reveal', parseReveals, reveals, []],
])('a %s without a field, or with one of another type, is damaged', (_title, parse, whole, optional) => {
  expect(parse(JSON.stringify(whole))).toEqual(whole)
  const accepted = [...listDamages(whole)].filter(
    ([, damaged]) => parse(JSON.stringify(damaged) ?? '') !== undefined,
  )
  expect(accepted.map(([name]) => name)).toEqual(optional.map((path) => `${path} is missing`))
})

test.each([
  ['an unknown operation', { ...confirm, operation: 'get' }],
  ['a call without an outcome', { ...confirm, end: { outcome: 'sending' } }],
  ['a total that is no amount', { ...create, end: { ...create.end, total: '1e5' } }],
  ['a total below zero', { ...confirm, found: { ...confirm.found, total: '-1' } }],
  ['a time that no calendar has', { ...confirm, at: 2 ** 53 - 1 }],
  ['an order that has no id', { ...create, end: { outcome: 'done' } }],
])('%s is damaged', (_title, outcome) => {
  expect(parseOutcome(JSON.stringify(outcome))).toBeUndefined()
})

test('a create may have no order', () => {
  const refused = { ...create, end: { outcome: 'refused', ...responded } }
  expect(parseOutcome(JSON.stringify(refused))).toEqual(refused)
})

test('a reveal in an unknown way is damaged', () => {
  const [reveal] = reveals.reveals
  expect(parseReveals(JSON.stringify({ ...reveals, reveals: [{ ...reveal, how: 'print' }] }))).toBeUndefined()
})
