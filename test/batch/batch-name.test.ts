// The name of a batch: src/batch/plan.ts
import { expect, test } from 'vitest'
import { readBatchName } from '../../src/batch/make-plan.ts'
import { failureOf } from '../profiles/failure-of.ts'

test.each<[string | undefined, string | undefined, string | undefined]>([
  ['march', 'orders.csv', 'march'],
  [' march ', undefined, 'march'],
  ['a\u0308', undefined, 'ä'],
  ['👍'.repeat(60), undefined, '👍'.repeat(60)],
  [undefined, 'orders.csv', 'orders'],
  [undefined, '../march/orders.v2.csv', 'orders.v2'],
  [undefined, '/tmp/orders', 'orders'],
  [undefined, undefined, undefined],
])('--name %j, file %j: %j', (name, file, expected) => {
  expect(readBatchName(name, file)).toBe(expected)
})

const form = "1 to 60 characters, without '/', control or invisible characters, not beginning with '-' or '@'"

test.each([
  ...['', ' ', '-x', '@last', ' @x', 'a/b', 'a\tb', 'a\u200bb', 'a\u202eb', 'a\u00a0b', '\ud800'],
  'x'.repeat(61),
])('--name %j is refused', async (name) => {
  expect(await failureOf(() => readBatchName(name, 'orders.csv'))).toMatchObject({
    kind: 'usage',
    message: `--name is ${JSON.stringify(name)}; allowed: ${form}`,
    details: { field: '--name', advice: 'Choose another name, such as --name march-rewards.' },
  })
})

const advice =
  'Name the batch, such as --name march-rewards. The references of its orders begin with the name.'

test.each([
  ...['-', '/dev/stdin', '/dev/fd/63', '/proc/self/fd/3', '@orders.csv', './-orders.csv'],
  ...[`${'x'.repeat(61)}.csv`, 'a\u200bb.csv'],
])('%j gives no name', async (file) => {
  const { message, details } = await failureOf(() => readBatchName(undefined, file))
  const isFile = file.endsWith('.csv')
  expect(message).toMatch(
    isFile
      ? /^the file name ".*" is not a valid name for a batch; allowed: /
      : /^a batch from standard input or a pipe needs --name$/,
  )
  expect(details).toEqual({ field: '--name', advice })
})
