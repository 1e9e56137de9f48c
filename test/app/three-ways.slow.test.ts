// Every command, said three ways: exit code, stdout and stderr are the same to the letter, whatever carries them.
import { expect, test } from 'vitest'
import { allWays, openWorld, type World } from '../support/world.ts'

const file =
  '{"productList":[{"sku":"GAME-DE","productType":"fixed","quote":20,"quantity":1}],"wallet":"EUR","reference":"f"}'
const account = ['--base-url', 'https://orders.example', '--credential-command', 'printf key']

// They all have one reference.
const again = '--allow-duplicate'
const atOnce = 4

/** What comes of each command; those of one round in no order, a few at once. */
const life = async ({ does, file: write, flags, created, confirmed, advance, must }: World) => {
  const results: object[] = []
  const round = async (...commands: string[][]): Promise<void> => {
    const said = new Map<string[], object>()
    const left = commands.values()
    const work = async (): Promise<void> => {
      for (const words of left) said.set(words, await does(...words))
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    results.push(...commands.map((words) => ({ command: words[0], ...said.get(words) })))
  }
  const bought = await confirmed('GAME-US:25x2', 'TEST-FAIL:10')
  await advance('5s')
  const [dear, pending] = [await created('GAME-JP:3000'), await created('TEST-SLOW:10')]
  await round(
    ['create', ...flags(['GAME-US:25x2', 'GAME-JP:3000']), again],
    ['create', write(file), '--json'],
    ['create', ...flags(['TEST-OUT-OF-STOCK:10']), again, '--json'],
    ['create', ...flags(['GAME-US:25x6'])],
    ['create', ...flags(['TEST-SLOW:10']), again, '--confirm', '--json'],
    ['confirm', pending],
    ['confirm', bought, '--idempotent', '--json'],
    ['confirm', dear, '--max-total', '1'],
    ['get', bought],
    ['explain', bought],
    ['get', bought, dear, '--json'],
    ['get', 'ord_nobody', '--json'],
    ['redeem', bought],
    ['redeem', bought, '--json'],
    ['redeem', bought, '--only', 'code'],
    ['redeem', dear],
    ['watch', bought],
    ['watch', bought, '--json'],
    ['watch', bought, '--for', 'rejected', '-q'],
    ['profile', 'test'],
  )
  // A new profile changes which account the other commands use.
  await round(['profile', 'add', 'shop', ...account, '--wallet', 'EUR'])
  await round(
    ['profile', 'add', 'shop', ...account, '--json'],
    ['profile', 'show', 'shop'],
    ['profile', 'show', 'shop', '--json'],
  )
  // Like profile list, it names a variable that selects another account.
  await must('profile', 'use', 'shop')
  await round(['profile', 'remove', 'shop', '--json'])
  // The sandbox of one way has had orders; those of the others have not.
  await must('sandbox', 'reset')
  await round(['sandbox'])
  await round(['sandbox', 'advance', '11m'])
  await round(['sandbox', 'reset', '--json'])
  return results
}

const title = 'every command says the same in process, over a socket and by the built executable'

test(title, { timeout: 120_000 }, async () => {
  const [inProcess, ...others] = await Promise.all(allWays.map(async ([, way]) => life(await openWorld(way))))
  expect(inProcess).not.toContainEqual(expect.objectContaining({ exit: 1 }))
  for (const other of others) expect(other).toEqual(inProcess)
})
