// The service lists one code for two cards: it is given to one person, and every command says so without the code.
import { existsSync, linkSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import type { Situation } from '../support/in-process.ts'
import { createDatabase } from '../support/postgres/database.ts'
import { altered, on, openWorld, overNetwork, type World } from '../support/world.ts'

/** Replaces the codes of each order by these letters. An order without letters keeps its own. */
const listCodes = (shop: World, codesOf: (reference: string) => string | undefined): void =>
  shop.through(
    on('get', async (request, service) =>
      altered(await service(request), (data) => {
        const codes = codesOf(data.reference)
        if (codes === undefined || !data.redeem?.['GAME-US']) return data
        const [like] = data.redeem['GAME-US'].cards
        const cards = [...codes].map((code) => ({
          ...{ ...like, redeemCardCode: `CODE-OF-CARD-${code}`, redeemPin: '', redeemSerialNumber: '' },
          redeemLink: `https://redeem.example/${code}`,
        }))
        return { ...data, redeem: { ...data.redeem, 'GAME-US': { ...data.redeem['GAME-US'], cards } } }
      }),
    ),
  )

const openShop = async (codesOf: (reference: string) => string | undefined) => {
  const shop = await openWorld(overNetwork)
  listCodes(shop, codesOf)
  const run = (words: readonly string[], more: Situation = {}) => shop.run(words, more)
  const buy = (reference: string, quantity: number, ...more: string[]) =>
    shop.id(
      ...['create', '--product', `GAME-US:25x${quantity}`, '--wallet', 'USD', '--reference', reference],
      ...['--confirm', '--watch', ...more],
    )
  const runBatch = (name: string, cards: number, ...more: string[]) =>
    shop.asks([
      ...['batch', 'run', '--product', `GAME-US:25x${cards}`, '--wallet', 'USD', '--name', name],
      ...['--max-total', '1000', ...more],
    ])
  const states = (): string =>
    shop
      .journal('SELECT state FROM batch_cards ORDER BY batch, card')
      .map(({ state }) => state)
      .join(' ')
  const file = path.join(shop.home, 'codes.csv')
  /** Exports the batch: the exit code, and the state and code of each card. */
  const exports = async (name: string, ...words: string[]) => {
    const ran = await shop.run(['batch', 'export', name, file, '--force', ...words])
    const lines: Record<string, string>[] = parse(readFileSync(file), {
      ...{ columns: true, record_delimiter: '\r\n' },
    })
    return { ...ran, cards: lines.map(({ state, code }) => `${state} ${code}`.trim()) }
  }
  return { shop, run, buy, runBatch, states, exports }
}

const isBatch = (reference: string): boolean => /-0{3}\d$/.test(reference)

describe('an order that lists each code twice', () => {
  const open = async () => {
    const opened = await openShop(() => 'XXYY')
    const ran = await opened.runBatch('gifts', 4)
    const [{ order_id: id } = {}] = opened.shop.journal('SELECT order_id FROM orders')
    return { ...opened, ran, id: String(id) }
  }

  test('gives each code to one row: the batch is partial, and names the others', async () => {
    const { ran, states, id, run } = await open()
    expect([ran.exit, ran.data]).toMatchObject([
      8,
      { state: 'partial', cards: { ordered: 4, delivered: 2, duplicate: 2, failed: 0 } },
    ])
    const [warning] = JSON.parse(ran.stderr).warnings
    expect(warning).toContain(
      '2 cards are duplicates: another card has their codes. Ask the support of the service.\n' +
        `  order ${id}: the order lists the same code twice\n`,
    )
    expect(states()).toBe('delivered delivered duplicate duplicate')
    const shown = await run(['batch', 'show', 'gifts'])
    expect(shown.stdout).toContain('2 of 4 delivered, 2 duplicate\n')
    expect(shown.stdout).toMatch(/ {4}2 {2}the order lists the same code twice/)
    const rows = await run(['batch', 'show', 'gifts', '--rows', '--json'])
    expect(JSON.parse(rows.stdout)).toMatchObject({ state: 'partial', delivered: 2, failed: 0, duplicate: 2 })
  })

  test('is not bought again by --retry-failed', async () => {
    const { run, shop, states } = await open()
    const { exit, stderr } = await run(['batch', 'run', 'gifts', '--retry-failed', '--max-total', '1000'])
    expect([exit, stderr]).toEqual([8, expect.stringContaining('No failed cards\n')])
    expect([shop.bought().length, states()]).toEqual([1, 'delivered delivered duplicate duplicate'])
  })

  test('is not bought again with cards that failed', async () => {
    const { shop, run } = await openShop(() => 'XX')
    const file = shop.file('sku,quote,quantity\nGAME-US,25,2\nTEST-FAIL,10,1\n', 'rows.csv')
    const words = ['--name', 'gifts', '--max-total', '1000', '--json']
    const first = await run(['batch', 'run', path.join(shop.home, file), '--wallet', 'USD', ...words])
    const again = await run(['batch', 'run', 'gifts', '--retry-failed', ...words.slice(2)])
    for (const { exit, stdout } of [first, again])
      expect([exit, JSON.parse(stdout).cards]).toMatchObject([8, { delivered: 1, duplicate: 1, failed: 1 }])
    const requests = shop.journal('SELECT products FROM orders ORDER BY number')
    expect(requests.map(({ products }) => String(products).includes('GAME-US'))).toEqual([true, false])
  })

  test('is exported with each code once, and exit 8', async () => {
    const { exports } = await open()
    const { exit, stdout, stderr, cards } = await exports('gifts', '--json')
    expect([exit, JSON.parse(stdout)]).toMatchObject([8, { cards: 4, delivered: 2, duplicate: 2, failed: 0 }])
    expect(JSON.parse(stderr).warnings).toEqual([expect.stringContaining('2 cards are duplicates')])
    expect(stderr).not.toMatch(/CODE|belong to no row/)
    expect(cards).toEqual([
      ...['delivered CODE-OF-CARD-X', 'delivered CODE-OF-CARD-Y'],
      ...['duplicate', 'duplicate'],
    ])
  })

  test('gives a row the card that the service lists later instead', async () => {
    const { shop, exports } = await open()
    listCodes(shop, () => 'ZYYX')
    expect(await exports('gifts')).toMatchObject({
      exit: 8,
      cards: [
        ...['delivered CODE-OF-CARD-X', 'delivered CODE-OF-CARD-Y'],
        ...['delivered CODE-OF-CARD-Z', 'duplicate'],
      ],
    })
  })

  test('is shown by redeem and get with a warning', async () => {
    const { id, run } = await open()
    const warning = `warning: cards 2 and 4 of the order ${id} have the same code as an earlier card of this order. Ask the support of the service.\n`
    expect(await run(['redeem', id, '-q'])).toEqual({ exit: 8, stdout: `${id}\n`, stderr: warning })
    expect(await run(['get', id, '-q'])).toEqual({ exit: 0, stdout: `${id}\n`, stderr: warning })
    expect(await run(['watch', id, '-q'])).toEqual({ exit: 0, stdout: `${id}\n`, stderr: warning })
  })

  test('counts as duplicates in a report', async () => {
    const { run } = await open()
    const { stdout } = await run(['report', '--by', 'product', '--csv'])
    expect(stdout).toContain('"GAME-US","USD","1","4","2","2","100",')
    expect((await run(['report', '--by', 'product'])).stdout).toContain('DUPLICATE')
  })
})

describe('two orders with the same codes', () => {
  const warningOf = (id: string, other: string): string =>
    `warning: cards 1 and 2 of the order ${id} have the same code as a card of the order ${other}. Ask the support of the service.\n`

  test('placed alone: the order that was read later is the duplicate, and find names both', async () => {
    const { buy, run } = await openShop(() => 'XY')
    const first = await buy('first', 2)
    const second = await buy('second', 2)
    for (let count = 1; count <= 2; count += 1) {
      expect(await run(['get', first, '-q'])).toMatchObject({ exit: 0, stderr: '' })
      expect(await run(['get', second, '-q'])).toMatchObject({ exit: 0, stderr: warningOf(second, first) })
    }
    expect(await run(['redeem', first, '-q'])).toMatchObject({ exit: 0, stderr: '' })
    const revealed = await run(['redeem', second, '--reveal', '--only', 'code'])
    expect(revealed).toEqual({
      exit: 8,
      stdout: 'CODE-OF-CARD-X\nCODE-OF-CARD-Y\n',
      stderr: warningOf(second, first),
    })
    const found = await run(['find', '--json'], { input: 'code-of-card-x' })
    expect(JSON.parse(found.stdout).matches).toMatchObject([{ id: second, alsoOn: [first] }])
    const all = await run(['find', '--all'], { input: 'code-of-card-x' })
    for (const [id, other] of [[first, second] as const, [second, first] as const])
      expect(all.stdout).toMatch(new RegExp(`Order +${id}\\n(.+\\n)*Also on +${other}\\n`))
  })

  test('of one batch, of two batches, and of a batch after a single order', async () => {
    const { buy, run, runBatch, states, shop } = await openShop(() => 'VWXYZ')
    const one = await runBatch('one', 10)
    expect([one.exit, one.data.cards]).toMatchObject([8, { delivered: 5, duplicate: 5 }])
    expect(JSON.parse(one.stderr).warnings[0]).toMatch(/^ {2}order \w+: the order \w+ has the same code$/m)
    const two = await runBatch('two', 5, '--allow-duplicate')
    expect([two.exit, two.data]).toMatchObject([
      8,
      { state: 'partial', cards: { delivered: 0, duplicate: 5 } },
    ])
    const again = await run(['batch', 'run', 'two', '--retry-failed', '--max-total', '1000'])
    expect([again.exit, shop.bought().length]).toEqual([8, 3])
    expect(new Set(states().split(' '))).toEqual(new Set(['delivered', 'duplicate']))
    expect(shop.journal("SELECT 1 FROM batch_cards WHERE state = 'delivered'")).toHaveLength(5)
    const single = await buy('single', 5)
    expect((await run(['redeem', single])).exit).toBe(8)
  })

  test('a single order that was read first keeps its codes', async () => {
    const { buy, runBatch, exports } = await openShop((reference) => (isBatch(reference) ? 'XYZ' : 'XY'))
    const single = await buy('single', 2)
    const { exit, stderr } = await runBatch('gifts', 3)
    const [warning] = JSON.parse(stderr).warnings
    expect([exit, warning]).toEqual([8, expect.stringContaining(`: the order ${single} has the same code\n`)])
    expect((await exports('gifts')).cards).toEqual(['delivered CODE-OF-CARD-Z', 'duplicate', 'duplicate'])
  })

  test('that was placed elsewhere counts, too', async () => {
    const { shop, runBatch, run } = await openShop(() => 'XY')
    await shop.must('list')
    const stranger = await shop.ended('GAME-US:25x2')
    await runBatch('other', 1, '--wallet', 'USD')
    await run(['redeem', stranger, '--reveal'])
    const { exit, data } = await runBatch('gifts', 2, '--allow-duplicate')
    expect([exit, data.cards]).toMatchObject([8, { delivered: 0, duplicate: 2 }])
  })
})

describe('the cards of an order', () => {
  const seen = 'SELECT order_id FROM seen_cards WHERE is_first = 1'

  test('are recorded before their codes are shown, also without a journal', async () => {
    const { shop, run } = await openShop(() => 'X')
    const stranger = await shop.ended('GAME-US:25')
    expect(await run(['get', stranger, '-q'])).toMatchObject({ exit: 0, stderr: '' })
    expect(existsSync(path.join(shop.home, 'state', 'journal.db'))).toBe(false)
    expect((await run(['redeem', stranger, '--reveal'])).exit).toBe(0)
    expect(shop.journal(seen)).toEqual([{ order_id: stranger }])
  })

  test('are shown without codes if the journal cannot be written', async () => {
    const { shop, run } = await openShop(() => 'X')
    const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--confirm', '-q']
    const id = await shop.id(...words)
    shop.clock.pass(60_000)
    // A journal with two paths is only read.
    linkSync(path.join(shop.home, 'state', 'journal.db'), path.join(shop.home, 'other.db'))
    const { exit, stdout, stderr } = await run(['get', id])
    expect([exit, stderr]).toEqual([0, expect.stringMatching(/^warning: the journal was not updated: .+\n/)])
    expect(stdout).toContain('successful')
    expect(await run(['redeem', id, '--reveal'])).toMatchObject({ exit: 9, stdout: '' })
    expect(shop.journal(seen)).toEqual([])
  })

  test('are not looked up if the order has none', async () => {
    const { buy, shop } = await openShop(() => 'X')
    await buy('known', 1)
    new DatabaseSync(path.join(shop.home, 'state', 'journal.db')).exec('DROP TABLE seen_cards')
    const id = await shop.created('GAME-US:25')
    expect(await shop.run(['get', id, '-q'])).toMatchObject({ exit: 0, stderr: '' })
  })
})

test('two workers with a shared journal give each code to one row', async () => {
  // Statements of PostgreSQL take real time, in which a clock that jumps would let orders expire.
  const shop = await openWorld({ ...overNetwork, realTime: true })
  await using database = await createDatabase()
  const env = { ORDERCTL_JOURNAL: database.address('ana'), PGPASSWORD: database.password }
  const letters = 'ABCDEFGHIJKLMNOPQRST'
  // Two orders of each batch have the same codes.
  listCodes(shop, (reference) => {
    const start = (Number(reference.slice(-4)) % 4) * 5
    return letters.slice(start, start + 5)
  })
  const plan = ['--product', 'GAME-US:25x40', '--wallet', 'USD', '--max-total', '1000', '--allow-duplicate']
  const ends = await Promise.all(
    ['one', 'two'].map((name) => shop.run(['batch', 'run', ...plan, '--name', name, '--json'], { env })),
  )
  expect(ends.map(({ exit }) => exit)).toEqual([8, 8])
  const rows = await database.admin("SELECT hash FROM batch_cards WHERE state = 'delivered'")
  expect([rows.length, new Set(rows.map(({ hash }) => hash)).size]).toEqual([20, 20])
  const counts = await database.admin('SELECT state, count(*)::int AS count FROM batch_cards GROUP BY state')
  expect(counts).toEqual(expect.arrayContaining([{ state: 'duplicate', count: 60 }]))
})
