// The service lists one code for two cards. duplicate-cards.session has most of it.
import path from 'node:path'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/postgres/database.ts'
import { altered, on, openWorld, overNetwork, type World } from '../support/world.ts'

/** Replaces the codes of each order by these letters. */
const listCodes = (shop: World, codesOf: (reference: string) => string): void =>
  shop.through(
    on('get', async (request, service) =>
      altered(await service(request), (data) => {
        if (!data.redeem?.['GAME-US']) return data
        const [like] = data.redeem['GAME-US'].cards
        const cards = [...codesOf(data.reference)].map((code) => ({
          ...{ ...like, redeemCardCode: `CODE-OF-CARD-${code}`, redeemPin: '', redeemSerialNumber: '' },
          redeemLink: `https://redeem.example/${code}`,
        }))
        return { ...data, redeem: { ...data.redeem, 'GAME-US': { ...data.redeem['GAME-US'], cards } } }
      }),
    ),
  )

test('a duplicate is not bought again with cards that failed', async () => {
  const shop = await openWorld(overNetwork)
  listCodes(shop, () => 'XX')
  const file = shop.file('sku,quote,quantity\nGAME-US,25,2\nTEST-FAIL,10,1\n', 'rows.csv')
  const words = ['--name', 'gifts', '--max-total', '1000', '--json']
  const first = await shop.run(['batch', 'run', path.join(shop.home, file), '--wallet', 'USD', ...words])
  const again = await shop.run(['batch', 'run', 'gifts', '--retry-failed', ...words.slice(2)])
  for (const { exit, stdout } of [first, again])
    expect([exit, JSON.parse(stdout).cardCounts]).toMatchObject([
      8,
      { delivered: 1, duplicate: 1, failed: 1 },
    ])
  const requests = shop.journal('SELECT products FROM orders ORDER BY number')
  expect(requests.map(({ products }) => String(products).includes('GAME-US'))).toEqual([true, false])
})

test('two workers with a shared journal give each code to one row', async () => {
  // Statements of PostgreSQL take real time, in which a clock that jumps would let orders expire.
  const shop = await openWorld({ ...overNetwork, realTime: true, processingMs: 0 })
  await using database = await createDatabase()
  const env = { ORDERCTL_JOURNAL: database.address('ana'), PGPASSWORD: database.password }
  const letters = 'ABCDEFGHIJ'
  // Two orders of each batch have the same codes.
  listCodes(shop, (reference) => {
    const start = (Number(reference.slice(-4)) % 2) * 5
    return letters.slice(start, start + 5)
  })
  const plan = ['--product', 'GAME-US:25x20', '--wallet', 'USD', '--max-total', '1000', '--allow-duplicate']
  const ends = await Promise.all(
    ['one', 'two'].map((name) => shop.run(['batch', 'run', ...plan, '--name', name, '--json'], { env })),
  )
  expect(ends.map(({ exit }) => exit)).toEqual([8, 8])
  const rows = await database.admin("SELECT hash FROM batch_cards WHERE state = 'delivered'")
  expect([rows.length, new Set(rows.map(({ hash }) => hash)).size]).toEqual([10, 10])
  const counts = await database.admin('SELECT state, count(*)::int AS count FROM batch_cards GROUP BY state')
  expect(counts).toEqual(expect.arrayContaining([{ state: 'duplicate', count: 30 }]))
})
