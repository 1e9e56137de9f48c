// find: odd services and journals, and that the code is nowhere. find.session has the others.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { type Card, findCards } from '../../../src/contract/redeem-cards.ts'
import type { Situation } from '../../support/in-process.ts'
import type { Ran } from '../../support/orderctl.ts'
import { openWorld, overNetwork } from '../../support/world.ts'

const openDesk = async () => {
  const shop = await openWorld(overNetwork)
  const buy = async (reference: string, ...products: string[]) => {
    const lines = products.flatMap((product) => ['--product', product])
    const id = await shop.id('create', ...lines, '--wallet', 'USD', '--reference', reference, '--confirm')
    shop.clock.pass(5_000)
    const { data } = await shop.calls.get(id)
    const cards: readonly Card[] = findCards(data.redeem)
    return { id, cards, code: cards[0]?.code ?? '' }
  }
  /** Pipes the value to find. */
  const find = (value: string, words: readonly string[] = [], more: Situation = {}) =>
    shop.run(['find', ...words], { input: value, ...more })
  const findJson = async (value: string, ...words: string[]) => {
    const { exit, stdout, stderr } = await find(value, ['--json', ...words])
    return { exit, stderr, ...JSON.parse(stdout) }
  }
  /** From now on, changes the bodies of the service's responses. */
  const changeResponses = (change: (text: string) => string): void =>
    shop.through(async (request, service) => {
      const response = await service(request)
      return { ...response, body: change(String(response.body)) }
    })
  return { ...shop, buy, find, findJson, changeResponses }
}

describe('--last-four', () => {
  test('finds no value that they could be the whole of', async () => {
    const { buy, run, changeResponses } = await openDesk()
    const { cards } = await buy('wanted', 'GAME-US:25')
    const { pin = '' } = cards[0] as Card
    changeResponses((text) => text.replaceAll(pin, '4711'))
    expect((await run(['find', '--last-four', '4711', '--json'])).exit).toBe(3)
  })
})

describe('what is asked', () => {
  test('a short PIN is looked for in all orders, and each match is listed', async () => {
    const { buy, find, findJson, changeResponses } = await openDesk()
    const first = await buy('first', 'GAME-US:25')
    const second = await buy('second', 'GAME-US:25x2')
    changeResponses((text) => text.replaceAll(/"redeemPin":\s*"\d+"/g, '"redeemPin":"4711"'))
    const { matches, exit } = await findJson('4711')
    expect(exit).toBe(0)
    expect(matches.map(({ id, card }: { id: string; card: number }) => [id, card])).toEqual([
      [second.id, 1],
      [second.id, 2],
      [first.id, 1],
    ])
    expect((await find('4711')).stderr).toContain('Found 3 matching cards in 2 orders in the 2 orders')
  })
})

describe('what cannot be asked', () => {
  test('a service that is down: exit 5, and the search ends after 8 failures', async () => {
    const { buy, find, fault } = await openDesk()
    for (let order = 0; order < 20; order += 1) await buy(`order-${order}`, 'GAME-US:25')
    await fault('get:reset-before@100%')
    const { exit, stdout, stderr } = await find('NOPE-1234-5678')
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' })
    expect(stderr).toMatch(/^warning: (\d+) orders could not be read; \d+ orders not asked: the service/)
    expect(Number(/\d+/.exec(stderr)?.[0])).toBeLessThan(16)
  })

  test('a match counts although another order could not be read', async () => {
    const { buy, find, changeResponses } = await openDesk()
    const { id, code } = await buy('wanted', 'GAME-US:25')
    const other = await buy('other', 'GAME-US:25')
    changeResponses((text) => (text.includes(other.id) ? '{}' : text))
    const { exit, stdout, stderr } = await find(code, ['-q', '--all'])
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${id}\n` })
    expect(stderr).toMatch(/^warning: 1 order could not be read: /)
  })
})

describe('what is typed', () => {
  test('a long text is an error', async () => {
    const { find } = await openDesk()
    const { exit, stderr } = await find('A'.repeat(5000))
    expect([exit, stderr.split('\n')[0]]).toEqual([2, 'error: the value is longer than 4096 characters'])
  })
})

test('a search that cannot be recorded prints nothing: exit 9', async () => {
  const { buy, find, home } = await openDesk()
  const { code } = await buy('wanted', 'GAME-US:25')
  const file = new DatabaseSync(path.join(home, 'state/journal.db'))
  file.exec(
    "CREATE TRIGGER broken BEFORE INSERT ON reveals BEGIN SELECT raise(ABORT, 'no more reveals'); END",
  )
  file.close()
  const { exit, stdout, stderr } = await find(code)
  expect({ exit, stdout }).toEqual({ exit: 9, stdout: '' })
  expect(stderr).toContain('no more reveals')
  expect(stderr).not.toContain(code)
})

describe('the code is in no output and no file', () => {
  const canary = 'CANARY-9F3K-X7Q2-81MN'
  const spellings = [canary, canary.toLowerCase(), canary.replaceAll('-', ''), btoa(canary).slice(0, -4)]

  const findLeaks = (home: string, { stdout, stderr }: Ran): string[] => {
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
    const places: [string, Buffer][] = [
      ['stdout', Buffer.from(stdout)],
      ['stderr', Buffer.from(stderr)],
      ...files.map((each): [string, Buffer] => [
        each.name,
        readFileSync(path.join(each.parentPath, each.name)),
      ]),
    ]
    return places
      .filter(([, bytes]) =>
        spellings.some((text) => bytes.includes(text) || bytes.includes(text.toUpperCase())),
      )
      .map(([place]) => place)
  }

  const plant = (text: string): string =>
    text.replaceAll(/"redeemCardCode":\s*"[^"]*"/g, `"redeemCardCode":"${canary}"`)
  /** The service repeats the code in the name of the product. */
  const repeat = (text: string): string => plant(text).replaceAll('Quorvane Games', `Games ${canary}`)

  test.each<[string, readonly string[], number, ((text: string) => string)?, Record<string, string>?]>([
    ['found', [], 0],
    ['found, as JSON', ['--json', '--all'], 0],
    ['found, with a trace', ['--debug'], 0, plant, { ORDERCTL_DEBUG: '1' }],
    ['found, and repeated by the service', [], 0, repeat],
    ['found and repeated, as JSON', ['--json'], 0, repeat],
    ['not found', ['--since', '0'], 3],
    ['a refused key', ['--debug'], 4, plant, { ORDERCTL_API_KEY: 'wrong' }],
    ['a service that answers nonsense', [], 5, () => '{'],
    ['a wrong flag', ['--since', 'yesterday'], 2],
  ])('%s', async (_, words, exit, change = plant, env = {}) => {
    const desk = await openDesk()
    await desk.buy('wanted', 'GAME-US:25')
    desk.changeResponses(change)
    const ran = await desk.find(` ${canary}\n`, words, { env })
    expect({ exit: ran.exit, stderr: ran.stderr }).toMatchObject({ exit })
    expect(findLeaks(desk.home, ran)).toEqual([])
  })

  test('a leak would be seen', async () => {
    const { home, run } = await openDesk()
    expect(findLeaks(home, await run(['get', canary]))).toEqual(['stderr'])
  })
})
