// watch: its output, its exit codes, and when it ends.
import { describe, expect, test } from 'vitest'
import { openWorld, overNetwork, type World } from '../../support/world.ts'

const place = async (shop: World, products: readonly string[], ...flags: string[]): Promise<string> => {
  const lines = products.flatMap((product) => ['--product', product])
  return (await shop.runIn(['create', ...lines, '--wallet', 'USD', '-q', ...flags])).stdout.trim()
}

test('of a final order prints its state at once; with -q its id', async () => {
  const shop = await openWorld(overNetwork)
  const id = await place(shop, ['GAME-US:25'], '--watch')
  expect(await shop.runIn(['watch', id])).toMatchObject({
    exit: 0,
    stdout: `${id}  ✓ successful  after 0 s\n`,
    stderr: `Codes are hidden. Show them: orderctl redeem ${id} --reveal\n`,
  })
  expect(await shop.id('watch', id)).toBe(id)
})

test('with --json prints one object for each state', async () => {
  const shop = await openWorld(overNetwork)
  const id = await place(shop, ['GAME-US:25'], '--confirm')
  expect((await shop.must('watch', id, '--json', '--fields', 'uid,state')).trimEnd().split('\n')).toEqual(
    ['confirmed', 'processing', 'successful'].map((state) => `{"uid":"${id}","state":"${state}"}`),
  )
})

test.each([
  ['both successful', ['GAME-US:25'], ['GAME-US:25'], 0],
  ['one partial', ['GAME-US:25'], ['GAME-US:25', 'TEST-FAIL:10'], 8],
  ['one failed, one partial', ['TEST-FAIL:10'], ['GAME-US:25', 'TEST-FAIL:10'], 7],
  ['one rejected', ['TEST-REJECT:10'], ['GAME-US:25'], 7],
])('of several orders ends with the exit code of the worst: %s', async (_case, one, two, exit) => {
  const shop = await openWorld(overNetwork)
  const ids = [await place(shop, one, '--confirm'), await place(shop, two, '--confirm', '--allow-duplicate')]
  expect(await shop.runIn(['watch', ...ids, '-q'])).toMatchObject({
    exit,
    stdout: `${ids.join('\n')}\n`,
    stderr: '',
  })
})

test('ends at --timeout if the state stays undocumented', async () => {
  const shop = await openWorld(overNetwork)
  const id = await place(shop, ['TEST-ODD-STATE:10'], '--confirm')
  expect(await shop.runIn(['watch', id, '--timeout', '30s', '-q'])).toMatchObject({
    exit: 124,
    stdout: '',
    stderr: `error: timed out; not final yet: ${id}\ntry: orderctl watch ${id}\n`,
  })
})

describe('--for', () => {
  const watching = (shop: World, id: string, state: string) =>
    shop.runIn(['watch', id, '--for', state, '--timeout', '30s', '-q'])

  test('ends at the state, or after it', async () => {
    const shop = await openWorld(overNetwork)
    const id = await place(shop, ['TEST-SLOW:10'], '--confirm')
    expect(await watching(shop, id, 'confirmed')).toMatchObject({ exit: 0, stdout: `${id}\n`, stderr: '' })
    shop.clock.pass(16_000)
    expect(await watching(shop, id, 'confirmed')).toMatchObject({ exit: 0, stdout: `${id}\n`, stderr: '' })
    const waiting = await place(shop, ['GAME-US:25'])
    expect((await watching(shop, waiting, 'confirmed')).exit).toBe(124)
  })

  test('counts the orders that reached the state', async () => {
    const shop = await openWorld(overNetwork)
    const ids = [await place(shop, ['TEST-SLOW:10'], '--confirm'), await place(shop, ['GAME-US:25'])]
    const words = ['watch', ...ids, '--for', 'confirmed', '--timeout', '3s']
    const { exit, writes } = await shop.atTerminal(words)
    expect(exit).toBe(124)
    expect(writes.stderr.join('')).toContain('1 of 2 confirmed or later, 1 created\n')
  })

  test('of another final state warns, and keeps the exit code of the order', async () => {
    const shop = await openWorld(overNetwork)
    const id = await place(shop, ['GAME-US:25'], '--watch')
    expect(await watching(shop, id, 'failed')).toMatchObject({
      exit: 0,
      stdout: `${id}\n`,
      stderr: `warning: the final state of the order ${id} is successful, so it will not become failed\n`,
    })
  })
})

test('ends with exit code 10 if the order was not confirmed in time', async () => {
  const shop = await openWorld(overNetwork)
  const id = await place(shop, ['GAME-US:25'])
  shop.clock.pass(16 * 60_000)
  expect(await shop.runIn(['watch', id, '-q'])).toMatchObject({ exit: 10, stdout: `${id}\n`, stderr: '' })
  expect((await shop.runIn(['watch', id])).stderr).toContain(
    `The order ${id} was not confirmed in time and has expired.\n`,
  )
})

test('of a known and an unknown order is refused', async () => {
  const shop = await openWorld(overNetwork)
  const id = await place(shop, ['GAME-US:25'])
  expect((await shop.runIn(['watch', id, 'ord_nobody', '-q'])).exit).toBe(3)
})
