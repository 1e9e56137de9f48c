// Warnings with --json: in the result, in the error, or alone.
import { expect, test } from 'vitest'
import { on, openWorld, overNetwork } from '../support/world.ts'

const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']
const similar = "the reference PO-1 looks like 'po-1', which is already used"

test('a result has them, and stderr is empty', async () => {
  const shop = await openWorld(overNetwork)
  await shop.must(...words, '--reference', 'po-1')
  const { exit, data, stderr } = await shop.asks([...words, '--reference', 'PO-1'])
  expect([exit, stderr, data.warnings]).toEqual([0, '', [similar]])
})

test('with --fields, stderr is one object with them', async () => {
  const shop = await openWorld(overNetwork)
  await shop.must(...words, '--reference', 'po-1')
  const { data, stderr } = await shop.asks([...words, '--reference', 'PO-1', '--fields', 'reference'])
  expect([data, JSON.parse(stderr)]).toEqual([{ reference: 'PO-1' }, { warnings: [similar] }])
})

test('an error has them', async () => {
  const shop = await openWorld(overNetwork)
  await shop.must(...words, '--reference', 'po-1')
  shop.through(on('create', async () => ({ status: 400, headers: {}, body: '{"message":"no"}' })))
  const { exit, stderr } = await shop.run([...words, '--reference', 'PO-1', '--json'])
  expect([exit, stderr.trim().split('\n').length]).toEqual([3, 1])
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'refused', warnings: [similar] } })
})

test('without --json, each is a line of stderr', async () => {
  const shop = await openWorld(overNetwork)
  await shop.must(...words, '--reference', 'po-1')
  expect((await shop.run([...words, '--reference', 'PO-1'])).stderr).toContain(`warning: ${similar}\n`)
})

test('a user who is asked reads them before the question', async () => {
  const shop = await openWorld(overNetwork)
  for (const name of ['one', 'two']) {
    const added = ['profile', 'add', name, '--base-url', 'https://orders.example', '--account', name]
    await shop.run([...added, '--key-stdin'], { input: 'the-key' })
  }
  const id = await shop.id(...words, '--profile', 'one')
  const confirm = ['confirm', id, '--profile', 'two', '--json']
  const { stderr } = await shop.atTerminal(confirm, { answers: [false] })
  expect(stderr).toMatch(/\nwarning: the order \w+ was placed with the profile one, .*\n\{"error":/)
  const batch = [
    'batch',
    'run',
    '--product',
    'GAME-US:25x3',
    '--wallet',
    'USD',
    '--profile',
    'sandbox',
    '--json',
  ]
  const ran = await shop.atTerminal([...batch, '--max-total', '10'], { answers: [false] })
  expect(ran.stderr).toMatch(/^warning: the cap of 10\.00 USD is below the face value of .*\n\{"error":/m)
})
