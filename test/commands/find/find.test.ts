// find: the code is in no output and no file. find.slow.session has the others.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Ran } from '../../support/orderctl.ts'
import { openWorld, overNetwork } from '../../support/world.ts'

type Change = (text: string) => string

const openDesk = async () => {
  const shop = await openWorld(overNetwork)
  return {
    ...shop,
    /** Buys a card. */
    buy: (reference: string): Promise<string> =>
      shop.id(
        ...['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference],
        ...['--confirm', '--watch'],
      ),
    /** From now on, changes the bodies of the service's responses. */
    change: (change: Change): void =>
      shop.through(async (request, service) => {
        const response = await service(request)
        return { ...response, body: change(String(response.body)) }
      }),
  }
}

test('a match counts although another order could not be read', async () => {
  const { buy, change, must, run } = await openDesk()
  const id = await buy('wanted')
  const input = await must('redeem', id, '--only', 'code', '--reveal')
  const other = await buy('other')
  change((text) => (text.includes(other) ? '{}' : text))
  const { exit, stdout, stderr } = await run(['find', '-q', '--all'], { input })
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${id}\n` })
  expect(stderr).toMatch(/^warning: 1 order could not be read: /)
})

test('a long text is an error', async () => {
  const { exit, stderr } = await (await openDesk()).run(['find'], { input: 'A'.repeat(5000) })
  expect([exit, stderr.split('\n')[0]]).toEqual([2, 'error: the value is longer than 4096 characters'])
})

const canary = 'CANARY-9F3K-X7Q2-81MN'
const spellings = [canary, canary.toLowerCase(), canary.replaceAll('-', ''), btoa(canary).slice(0, -4)]

const findLeaks = (home: string, { stdout, stderr }: Ran): string[] => {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const places: [string, Buffer][] = [
    ['stdout', Buffer.from(stdout)],
    ['stderr', Buffer.from(stderr)],
    ...files.map(({ name, parentPath }): [string, Buffer] => [
      name,
      readFileSync(path.join(parentPath, name)),
    ]),
  ]
  const isLeak = (bytes: Buffer): boolean =>
    spellings.some((text) => bytes.includes(text) || bytes.includes(text.toUpperCase()))
  return places.filter(([, bytes]) => isLeak(bytes)).map(([place]) => place)
}

const plant: Change = (text) =>
  text.replaceAll(/"redeemCardCode":\s*"[^"]*"/g, `"redeemCardCode":"${canary}"`)
/** The service repeats the code in the name of the product. */
const repeat: Change = (text) => plant(text).replaceAll('Quorvane Games', `Games ${canary}`)

test.each<[string, readonly string[], number, Change?, Record<string, string>?]>([
  ['found', [], 0],
  ['found, as JSON', ['--json', '--all'], 0],
  ['found, with a trace', ['--debug'], 0, plant, { ORDERCTL_DEBUG: '1' }],
  ['found, and repeated by the service', [], 0, repeat],
  ['found and repeated, as JSON', ['--json'], 0, repeat],
  ['not found', ['--since', '0'], 3],
  ['a refused key', ['--debug'], 4, plant, { ORDERCTL_API_KEY: 'wrong' }],
  ['a service that answers nonsense', [], 5, () => '{'],
  ['a wrong flag', ['--since', 'yesterday'], 2],
])('the code is in no output and no file: %s', async (_, words, exit, change = plant, env = {}) => {
  const desk = await openDesk()
  await desk.buy('wanted')
  desk.change(change)
  const ran = await desk.run(['find', ...words], { input: ` ${canary}\n`, env })
  expect({ exit: ran.exit, stderr: ran.stderr }).toMatchObject({ exit })
  expect(findLeaks(desk.home, ran)).toEqual([])
})

test('a leak would be seen', async () => {
  const { home, run } = await openDesk()
  expect(findLeaks(home, await run(['get', canary]))).toEqual(['stderr'])
})
