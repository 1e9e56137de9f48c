// Which order a code is from: what matches, what is asked, what is said about the rest, and that the code is nowhere.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { type Card, findCards } from '../../../src/contract/redeem-cards.ts'
import type { Situation } from '../../support/in-process.ts'
import type { Ran } from '../../support/orderctl.ts'
import { on, openWorld, overNetwork, scrub } from '../../support/world.ts'
import { inWords } from '../../ui/screens.ts'

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

describe('a code', () => {
  test('is found on its card, with who placed the order and who revealed it', async () => {
    const { buy, findJson, must } = await openDesk()
    await buy('older', 'GAME-US:25')
    const { id, cards } = await buy('wanted', 'GAME-DE:20', 'GAME-US:25x3')
    await buy('newer', 'GAME-US:25')
    await must('redeem', id, '--sku', 'GAME-US', '--reveal')
    const { exit, matches } = await findJson(cards[2]?.code ?? '')
    expect(exit).toBe(0)
    expect(matches).toEqual([
      {
        ...{ id, reference: 'wanted', sku: 'GAME-US', alsoOn: [], product: 'Quorvane Games 25 USD' },
        ...{ card: 3, cards: 4, kind: 'code', exact: true, placedAt: expect.any(String) },
        by: { role: null, user: 'tester', host: 'desk', writtenBy: null },
        reveals: [expect.objectContaining({ who: 'tester', how: 'reveal' })],
      },
    ])
    // The number is that of redeem --card.
    const shown = await must('redeem', id, '--only', 'code', '--reveal')
    expect(shown.split('\n')[2]).toBe(cards[2]?.code)
  })

  const dashes = (by: string) => (card: Card) => ` ${card.code?.replaceAll('-', by)}\n`
  test.each<[string, (card: Card) => string | undefined, string, boolean]>([
    ['code in lower case', ({ code }) => code?.toLowerCase(), 'code', false],
    ['code without dashes', dashes(''), 'code', false],
    ['code with spaces for dashes', dashes(' '), 'code', false],
    ['code with the dashes of a word processor', dashes('–'), 'code', false],
    ['PIN', ({ pin }) => pin, 'pin', true],
    ['serial number', ({ serial }) => serial, 'serial', true],
    ['link', ({ link }) => link, 'link', true],
    ['link without its scheme', ({ link }) => link?.replace('https://', ''), 'link', false],
  ])('a %s is found', async (_, choose, kind, exact) => {
    const { buy, findJson } = await openDesk()
    const { id, cards } = await buy('wanted', 'GAME-US:25')
    const { matches } = await findJson(choose(cards[0] as Card) ?? '')
    expect(matches).toMatchObject([{ id, card: 1, kind, exact }])
  })

  test('the audit entry names who and the order, and the journal has no code', async () => {
    const { buy, find, must } = await openDesk()
    const { id, code } = await buy('wanted', 'GAME-US:25')
    await find(code)
    expect(JSON.parse(await must('list', '--reveals', '--json'))).toMatchObject([
      { id, who: 'tester', how: 'find', skus: ['GAME-US'] },
    ])
    // A search does not count as a reveal.
    const again = await find(code, ['--json'])
    expect(JSON.parse(again.stdout).matches[0].reveals).toEqual([])
  })
})

describe('--last-four', () => {
  test('finds the card whose masked code ends in them, in any letter case', async () => {
    const { buy, run } = await openDesk()
    await buy('older', 'GAME-US:25')
    const { id, code } = await buy('wanted', 'GAME-US:25')
    const { exit, stdout } = await run(['find', '--last-four', code.slice(-4).toLowerCase(), '--json'])
    expect(exit).toBe(0)
    expect(JSON.parse(stdout).matches).toMatchObject([{ id, card: 1, kind: 'code', exact: false }])
    expect(stdout).not.toContain(code)
  })

  test('finds no value that they could be the whole of', async () => {
    const { buy, run, changeResponses } = await openDesk()
    const { cards } = await buy('wanted', 'GAME-US:25')
    const { pin = '' } = cards[0] as Card
    changeResponses((text) => text.replaceAll(pin, '4711'))
    expect((await run(['find', '--last-four', '4711', '--json'])).exit).toBe(3)
  })
})

describe('what is asked', () => {
  test('stops at the first match, newest first; --all asks about all orders', async () => {
    const { buy, find, findJson, asked } = await openDesk()
    for (let order = 0; order < 12; order += 1) await buy(`old-${order}`, 'GAME-US:25')
    const { code } = await buy('newest', 'GAME-US:25')
    const { searched } = await findJson(code)
    expect(searched.orders).toBe(13)
    expect(searched.notAsked).toBeGreaterThan(0)
    const { stderr } = await find(code, ['--since', '30d'])
    expect(stderr).toContain('Search all of them: orderctl find --all --since 30d\n')
    expect((await findJson(code, '--all')).searched).toMatchObject({ compared: 13, notAsked: 0 })
    expect((await find(code, ['--all'])).stderr).toContain(
      'Found 1 matching card in the 13 orders with cards',
    )
    expect(await asked()).not.toMatch(/(create|confirm)$/)
  })

  test('only orders of the account and the period that may have cards', async () => {
    const { buy, findJson, must } = await openDesk()
    await buy('wanted', 'GAME-US:25')
    await must('create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'unconfirmed')
    const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--confirm']
    await must(...words, '--reference', 'sandbox', '--profile', 'sandbox')
    expect((await findJson('NOPE-1234-5678')).searched).toMatchObject({ orders: 1, compared: 1 })
  })

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

describe('nothing found', () => {
  test('exits with 3, prints nothing, and says how to search further back', async () => {
    const { buy, find } = await openDesk()
    await buy('one', 'GAME-US:25')
    const { exit, stdout, stderr } = await find('NOPE-1234-5678', ['--since', '30d'])
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' })
    expect(stderr).toMatch(
      /^No card found in the 1 order with cards since \d{4}-\d\d-\d\d\. Search further back: orderctl find --since 60d\n$/,
    )
  })

  test('the next command has the profile that was named', async () => {
    const { find } = await openDesk()
    const { stderr } = await find('NOPE-1234-5678', ['--profile', 'sandbox'])
    expect(stderr).toMatch(/Search further back: orderctl find --since 180d --profile sandbox\n$/)
  })

  test('says so with -q and --json, too', async () => {
    const { buy, find } = await openDesk()
    await buy('one', 'GAME-US:25')
    expect(await find('NOPE-1234-5678', ['-q'])).toEqual({ exit: 3, stdout: '', stderr: '' })
    const { exit, stdout, stderr } = await find('NOPE-1234-5678', ['--json'])
    expect({ exit, stderr, matches: JSON.parse(stdout).matches }).toEqual({
      exit: 3,
      stderr: '',
      matches: [],
    })
  })

  test('in a journal without orders', async () => {
    const { find } = await openDesk()
    const { exit, stderr } = await find('NOPE-1234-5678')
    expect(exit).toBe(3)
    expect(stderr).toMatch(
      /^There are no orders with cards since .*\. Search further back: .* --since 180d\n$/,
    )
  })
})

describe('what cannot be asked', () => {
  test('orders that the service has forgotten are counted', async () => {
    const { buy, find, calls, findJson } = await openDesk()
    await buy('one', 'GAME-US:25')
    await calls.mock('POST', '/reset')
    const { exit, stderr } = await find('NOPE-1234-5678')
    expect(exit).toBe(3)
    expect(stderr).toContain('warning: the service no longer has 1 order of this period\n')
    expect((await findJson('NOPE-1234-5678')).searched).toMatchObject({ forgotten: 1, compared: 0 })
  })

  test('a refused key ends the search: exit 4', async () => {
    const { buy, find } = await openDesk()
    for (const reference of ['one', 'two', 'three']) await buy(reference, 'GAME-US:25')
    const env = { ORDERCTL_API_KEY: 'wrong' }
    const { exit, stdout, stderr } = await find('NOPE-1234-5678', [], { env })
    expect({ exit, stdout }).toEqual({ exit: 4, stdout: '' })
    expect(stderr).toMatch(
      /^warning: \d orders? could not be read(; \d orders? not asked)?: the service rejected/,
    )
  })

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

  test('an overloaded service is asked again after its Retry-After', async () => {
    const { buy, find, fault, clock } = await openDesk()
    const { id, code } = await buy('wanted', 'GAME-US:25')
    await fault('get:status=429,retry-after=19x2')
    const before = clock.now()
    expect(await find(code, ['-q'])).toMatchObject({ exit: 0, stdout: `${id}\n` })
    expect(clock.now() - before).toBeGreaterThanOrEqual(38_000)
  })
})

describe('what is typed', () => {
  test('a long text is an error', async () => {
    const { find } = await openDesk()
    const { exit, stderr } = await find('A'.repeat(5000))
    expect([exit, stderr.split('\n')[0]]).toEqual([2, 'error: the value is longer than 4096 characters'])
  })

  test('at a terminal that cannot prompt, the error names the way', async () => {
    const { atTerminal } = await openDesk()
    const { exit, stderr } = await atTerminal(['find', '--no-input'])
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr:
        'error: find reads the code from a prompt, and cannot prompt here\n' +
        'Read it from a file: orderctl find < code.txt\n',
    })
  })

  test('a cancelled prompt asks the service nothing: exit 130', async () => {
    const { atTerminal, asked } = await openDesk()
    const { exit, stderr, questions } = await atTerminal(['find'], { answers: [undefined] })
    expect({ exit, questions }).toEqual({
      exit: 130,
      questions: ['Code, PIN, serial number or link (not shown) *'],
    })
    expect(stderr).toContain('Cancelled; the service was not asked')
    expect(await asked()).toBe('')
  })

  test('Ctrl-C says how far it got', async () => {
    const { buy, find, through } = await openDesk()
    for (let order = 0; order < 3; order += 1) await buy(`order-${order}`, 'GAME-US:25')
    const controller = new AbortController()
    through(
      on('get', () => {
        controller.abort('SIGINT')
        return Promise.reject(new Error('connection reset'))
      }),
    )
    const { exit, stdout, stderr } = await find('NOPE-1234-5678', [], { interrupted: controller.signal })
    expect({ exit, stdout }).toEqual({ exit: 130, stdout: '' })
    expect(stderr).toContain(
      'Interrupted after 0 of 3 orders; no card found so far\ntry: orderctl find --since 7d\nSearch a shorter period.',
    )
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

describe('on a terminal', () => {
  const typed = async (value: string, env: Record<string, string | undefined>) => {
    const { buy, atTerminal } = await openDesk()
    const { code } = await buy('wanted', 'GAME-US:25x3')
    const ran = await atTerminal(['find'], { answers: [value || code], env })
    return { ...ran, text: scrub(`${ran.stdout}${ran.stderr}`) }
  }

  test.each(['60', '80', '120'])('of %s columns, the match has the same words', async (COLUMNS) => {
    const { text } = await typed('', { COLUMNS })
    expect(text.trimEnd()).toMatchInlineSnapshot(`
      "Order      sbx_1234567890abcdef
      Reference  wanted
      Card       1 of 3, GAME-US (Quorvane Games 25 USD): code
      Placed     YYYY-MM-DD hh:mm:ss UTC, now, by tester
      Revealed   never with this journal"
    `)
    const { stdout } = await typed('', { COLUMNS, NO_COLOR: undefined })
    expect(inWords(stdout)).toMatch(/^<quiet>Order {4}<\/> {2}<strong>sbx_\w+<\/>/)
  })

  const searchFurther = 'Search further back: orderctl find --since 180d\n'
  const none = 'No card found in the 1 order with cards since YYYY-MM-DD.'
  test.each([
    ['60', `${none}\n${searchFurther}`],
    ['80', `${none} ${searchFurther.replace('back: ', 'back:\n')}`],
    ['120', `${none} ${searchFurther}`],
  ])('of %s columns, without a match', async (COLUMNS, expected) => {
    expect(await typed('NOPE-1234-5678', { COLUMNS })).toMatchObject({ exit: 3, text: expected })
  })
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
