// `batch run` with the name of a batch that does not exist: the error says how to plan one.
import { expect, test } from 'vitest'
import { openWorld } from '../../../support/world.ts'

const run = ['batch', 'run']
const maxTotal = ['--max-total', '60']

/** The last line of the error. */
const adviceOf = (stderr: string): string => stderr.trimEnd().split('\n').at(-1) ?? ''

test('batch run says how to plan the batch, and that works', async () => {
  const shop = await openWorld()
  const missing = await shop.run([...run, 'gifts', ...maxTotal])
  expect(missing).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringContaining("error: no batch 'gifts' in this journal"),
  })
  expect(adviceOf(missing.stderr)).toBe('To plan a new one, use batch plan with a file or --product.')
  const file = shop.file('sku,quote,quantity\nGAME-US,25,2\n', 'rows.csv')
  expect((await shop.run(['batch', 'plan', file, '--name', 'gifts', '--wallet', 'USD'])).exit).toBe(0)
  expect((await shop.run([...run, 'gifts', ...maxTotal])).exit).toBe(0)
})

test.each([
  [
    '@last',
    'you planned no batch in this journal',
    /^To plan a new one, use batch plan with a file or --product\.$/,
  ],
  ['-x', "no batch '-x' in this journal", /^To plan a new one, use batch plan with a file or --product\.$/],
  [
    'team gifts',
    "no batch 'team gifts' in this journal",
    /^To plan a new one, use batch plan with a file or --product\.$/,
  ],
])('batch run suggests no invalid name, and quotes names: %s', async (named, message, advice) => {
  const shop = await openWorld()
  const { exit, stderr } = await shop.run([...run, ...maxTotal, '--', named])
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(`error: ${message}`) })
  expect(adviceOf(stderr)).toMatch(advice)
})

test('batch run takes a name with a dot for that of a file', async () => {
  const shop = await openWorld()
  const { exit, stderr } = await shop.run([...run, 'gifts.csv', ...maxTotal])
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: expect.stringContaining("error: no file and no batch is named 'gifts.csv'\n"),
  })
})

test('batch run NAME --product says how to buy the products alone, and that works', async () => {
  const shop = await openWorld()
  const products = ['--product', 'GAME-US:25x2', '--wallet', 'USD', ...maxTotal]
  const named = await shop.run([...run, 'gifts', ...products])
  expect(named.exit).toBe(2)
  expect(adviceOf(named.stderr)).toBe(
    'Check the name of the file. To continue the batch gifts, omit --product. To buy only the products of --product, use --name gifts instead of the file.',
  )
  const twice = await shop.run([...run, 'gifts', '--name', 'gifts', ...products])
  expect(adviceOf(twice.stderr)).toMatch(/ To buy only the products of --product, omit the file\.$/)
  expect((await shop.run([...run, '--name', 'gifts', ...products])).exit).toBe(0)
})
