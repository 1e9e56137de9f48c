// The service lists one code for two cards. duplicate-cards.session has most of it.
import { linkSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
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
  return { shop, run, runBatch, states }
}

const isBatch = (reference: string): boolean => /-0{3}\d$/.test(reference)

test('a duplicate is not bought again with cards that failed', async () => {
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

test('two orders of a batch have the same codes: each row has another', async () => {
  const { runBatch, states, shop } = await openShop(() => 'VWXYZ')
  const { exit, data, stderr } = await runBatch('one', 10)
  expect([exit, data.cards]).toMatchObject([8, { delivered: 5, duplicate: 5 }])
  expect(JSON.parse(stderr).warnings[0]).toMatch(/^ {2}order \w+: the order \w+ has the same code$/m)
  expect(new Set(states().split(' '))).toEqual(new Set(['delivered', 'duplicate']))
  expect(shop.journal("SELECT 1 FROM batch_cards WHERE state = 'delivered'")).toHaveLength(5)
})

test('a single order that was read first keeps its codes', async () => {
  const { run, runBatch, shop } = await openShop((reference) => (isBatch(reference) ? 'XYZ' : 'XY'))
  const words = ['create', '--product', 'GAME-US:25x2', '--wallet', 'USD', '--reference', 'single']
  const single = await shop.id(...words, '--confirm', '--watch')
  const { exit, stderr } = await runBatch('gifts', 3)
  const [warning] = JSON.parse(stderr).warnings
  expect([exit, warning]).toEqual([8, expect.stringContaining(`: the order ${single} has the same code\n`)])
  await run(['batch', 'export', 'gifts', path.join(shop.home, 'codes.csv')])
  const text = readFileSync(path.join(shop.home, 'codes.csv'), 'utf8')
  expect(text.match(/CODE-OF-CARD-\w/g)).toEqual(['CODE-OF-CARD-Z', 'CODE-OF-CARD-Z'])
})

test('cards are shown without codes if the journal cannot be written', async () => {
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
  expect(shop.journal('SELECT order_id FROM seen_cards WHERE is_first = 1')).toEqual([])
})

test('cards are not looked up if the order has none', async () => {
  const { shop } = await openShop(() => 'X')
  await shop.id('create', '--product', 'GAME-US:25', '--wallet', 'USD')
  new DatabaseSync(path.join(shop.home, 'state', 'journal.db')).exec('DROP TABLE seen_cards')
  const id = await shop.created('GAME-US:25')
  expect(await shop.run(['get', id, '-q'])).toMatchObject({ exit: 0, stderr: '' })
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
