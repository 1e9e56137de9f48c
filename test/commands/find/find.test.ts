// Which order a code is from: what matches, what is asked, and what is said about the rest.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { hastyClock } from '../../support/in-process.ts'
import { openDesk } from './find-desk.ts'

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
        ...{ orderId: id, reference: 'wanted', sku: 'GAME-US', product: 'Quorvane Games 25 USD' },
        ...{ card: 3, cards: 4, kind: 'code', exact: true, placedAt: expect.any(String) },
        by: { role: null, user: 'tester', host: 'desk' },
        reveals: [expect.objectContaining({ who: 'tester', how: 'reveal' })],
      },
    ])
    // The number is that of redeem --card.
    const shown = await must('redeem', id, '--only', 'code', '--reveal')
    expect(shown.split('\n')[2]).toBe(cards[2]?.code)
  })

  test.each<[string, (code: string) => string]>([
    ['in lower case', (code) => code.toLowerCase()],
    ['without dashes', (code) => code.replaceAll('-', '')],
    ['with spaces for dashes', (code) => ` ${code.replaceAll('-', ' ')} `],
    ['with the dashes of a word processor', (code) => code.replaceAll('-', '–')],
  ])('is found %s', async (_, change) => {
    const { buy, findJson } = await openDesk()
    const { id, cards } = await buy('wanted', 'GAME-US:25')
    const { matches } = await findJson(`${change(cards[0]?.code ?? '')}\n`)
    expect(matches).toMatchObject([{ orderId: id, kind: 'code', exact: false }])
  })

  test.each(['pin', 'serial', 'link'] as const)('a %s is found too', async (kind) => {
    const { buy, findJson } = await openDesk()
    const { id, cards } = await buy('wanted', 'GAME-US:25')
    const { matches } = await findJson(cards[0]?.[kind] ?? '')
    expect(matches).toMatchObject([{ orderId: id, card: 1, kind, exact: true }])
  })

  test('a link is found without its scheme', async () => {
    const { buy, findJson } = await openDesk()
    const { id, cards } = await buy('wanted', 'GAME-US:25')
    const { matches } = await findJson((cards[0]?.link ?? '').replace('https://', ''))
    expect(matches).toMatchObject([{ orderId: id, kind: 'link', exact: false }])
  })

  test('the audit entry names who and the order, and the journal has no code', async () => {
    const { buy, find, must } = await openDesk()
    const { id, cards } = await buy('wanted', 'GAME-US:25')
    await find(cards[0]?.code ?? '')
    expect(JSON.parse(await must('list', '--reveals', '--json'))).toMatchObject([
      { orderId: id, who: 'tester', how: 'find', skus: ['GAME-US'] },
    ])
    // A search does not count as a reveal.
    const again = await find(cards[0]?.code ?? '', ['--json'])
    expect(JSON.parse(again.stdout).matches[0].reveals).toEqual([])
  })
})

describe('what is asked', () => {
  test('stops at the first match, newest first; --all asks about all orders', async () => {
    const { buy, find, findJson, asked } = await openDesk()
    for (let order = 0; order < 12; order += 1) await buy(`old-${order}`, 'GAME-US:25')
    const { cards } = await buy('newest', 'GAME-US:25')
    const code = cards[0]?.code ?? ''
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
    await must(
      'create',
      '--product',
      'GAME-US:25',
      '--wallet',
      'USD',
      '--reference',
      'sandbox',
      '--confirm',
      '--profile',
      'sandbox',
    )
    expect((await findJson('NOPE-1234-5678')).searched).toMatchObject({ orders: 1, compared: 1 })
  })

  test('a short PIN is looked for in all orders, and each match is listed', async () => {
    const { buy, find, findJson, changeAnswers } = await openDesk()
    const first = await buy('first', 'GAME-US:25')
    const second = await buy('second', 'GAME-US:25x2')
    changeAnswers((text) => text.replaceAll(/"redeemPin":\s*"\d+"/g, '"redeemPin":"4711"'))
    const { matches, exit } = await findJson('4711')
    expect(exit).toBe(0)
    expect(matches.map(({ orderId, card }: { orderId: string; card: number }) => [orderId, card])).toEqual([
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
    const { exit, stdout, stderr } = await find('NOPE-1234-5678', [], { clock: hastyClock() })
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' })
    expect(stderr).toMatch(/^warning: (\d+) orders could not be read; \d+ orders not asked: the service/)
    expect(Number(/\d+/.exec(stderr)?.[0])).toBeLessThan(16)
  })

  test('a match counts although another order could not be read', async () => {
    const { buy, find, changeAnswers } = await openDesk()
    const { id, cards } = await buy('wanted', 'GAME-US:25')
    const other = await buy('other', 'GAME-US:25')
    changeAnswers((text) => (text.includes(other.id) ? '{}' : text))
    const { exit, stdout, stderr } = await find(cards[0]?.code ?? '', ['-q', '--all'])
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${id}\n` })
    expect(stderr).toMatch(/^warning: 1 order could not be read: /)
  })

  test('an overloaded service is asked again after its Retry-After', async () => {
    const { buy, find, fault } = await openDesk()
    const { id, cards } = await buy('wanted', 'GAME-US:25')
    await fault('get:status=429,retry-after=40x2')
    const waits: number[] = []
    const hasty = hastyClock()
    const clock = {
      ...hasty,
      sleep: async (ms: number, signal?: AbortSignal) => {
        if (ms > 30_000) waits.push(Math.round(ms / 1000))
        await hasty.sleep(ms, signal)
      },
    }
    const { exit, stdout } = await find(cards[0]?.code ?? '', ['-q'], { clock })
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${id}\n` })
    expect(waits).toContain(40)
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
        'try: Read it from a file: orderctl find < code.txt\n',
    })
  })

  test('a cancelled prompt asks the service nothing: exit 130', async () => {
    const { atTerminal, asked } = await openDesk()
    const { exit, stderr, questions } = await atTerminal(['find'], { answers: [undefined] })
    expect({ exit, questions }).toEqual({
      exit: 130,
      questions: ['Code, PIN, serial number or link (not shown) *'],
    })
    expect(stderr).toContain('cancelled; the service was not asked')
    expect(await asked()).toBe('')
  })

  test('Ctrl-C says how far it got', async () => {
    const { buy, find, fault } = await openDesk()
    for (let order = 0; order < 3; order += 1) await buy(`order-${order}`, 'GAME-US:25')
    await fault('get:latency=20s')
    const controller = new AbortController()
    const running = find('NOPE-1234-5678', [], { interrupted: controller.signal })
    setImmediate(() => controller.abort('SIGINT'))
    const { exit, stdout, stderr } = await running
    expect({ exit, stdout }).toEqual({ exit: 130, stdout: '' })
    expect(stderr).toContain(
      'error: interrupted after 0 of 3 orders; no card found so far\ntry: Search a shorter period: ',
    )
  })
})

test('a search that cannot be recorded prints nothing: exit 9', async () => {
  const { buy, find, home } = await openDesk()
  const { cards } = await buy('wanted', 'GAME-US:25')
  const file = new DatabaseSync(path.join(home, 'state/journal.db'))
  file.exec(
    "CREATE TRIGGER broken BEFORE INSERT ON reveals BEGIN SELECT raise(ABORT, 'no more reveals'); END",
  )
  file.close()
  const { exit, stdout, stderr } = await find(cards[0]?.code ?? '')
  expect({ exit, stdout }).toEqual({ exit: 9, stdout: '' })
  expect(stderr).toContain('no more reveals')
  expect(stderr).not.toContain(cards[0]?.code)
})
