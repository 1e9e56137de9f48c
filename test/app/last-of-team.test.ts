// @last in a shared journal: the last order, and the last batch, of the same database role and OS user.
import { describe, expect, test } from 'vitest'
import { realClock, untilAborted } from '../support/in-process.ts'
import { openTeamShopBy, type TeamShop } from '../support/postgres/team-shop.ts'
import { overSocketUnhurried } from '../support/world.ts'

const create = (reference: string) => [
  ...['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference],
]

const open = () => openTeamShopBy(overSocketUnhurried, 'ben')

const place = async ({ must }: TeamShop, role: string, reference: string): Promise<string> =>
  (await must(role, ...create(reference), '-q')).trim()

describe('orders', () => {
  test('each role finds its own, and the order of a colleague is not confirmed', async () => {
    const shop = await open()
    const { as, must } = shop
    const ofAna = await place(shop, 'ana', 'po-1')
    expect((await as('ben', ['confirm', '@last'])).exit).toBe(2)
    const ofBen = await place(shop, 'ben', 'po-2')
    for (const words of [
      ['get', '@last'],
      ['confirm', '@last'],
      ['watch', '@last', '--timeout', '1ms'],
    ]) {
      expect((await as('ana', [...words, '-q'])).stdout).toBe(words[0] === 'watch' ? '' : `${ofAna}\n`)
    }
    expect(await must('ben', 'get', '@last', '-q')).toBe(`${ofBen}\n`)
    expect(await shop.admin('SELECT order_id, state FROM orders ORDER BY number')).toEqual([
      { order_id: ofAna, state: 'confirmed' },
      { order_id: ofBen, state: 'created' },
    ])
  })

  test('another OS user of the same role has other orders', async () => {
    const shop = await open()
    await place(shop, 'ana', 'po-1')
    expect((await shop.as('ana', ['get', '@last', '-q'], { osUser: 'root' })).exit).toBe(2)
  })

  test('the TAB key offers the same order', async () => {
    const shop = await open()
    const ofAna = await place(shop, 'ana', 'po-1')
    await place(shop, 'ben', 'po-2')
    // The time limit never comes.
    const clock = { ...realClock, sleep: (_: number, signal?: AbortSignal) => untilAborted(signal) }
    const { stdout } = await shop.as('ana', ['__complete', '--', 'get', '@'], { clock })
    expect(stdout).toMatch(new RegExp(`^@last\\t.*${ofAna}`))
  })
})

test('batches: each role finds its own', async () => {
  const shop = await open()
  const { as, must } = shop
  shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'rows.csv')
  const plan = (role: string, name: string) =>
    must(role, 'batch', 'plan', 'rows.csv', '--name', name, '--wallet', 'USD')
  await plan('ana', 'hers')
  expect((await as('ben', ['batch', 'show', '@last'])).exit).toBe(2)
  await plan('ben', 'his')
  expect(JSON.parse(await must('ana', 'batch', 'show', '@last', '--json'))).toMatchObject({ name: 'hers' })
  expect(JSON.parse(await must('ben', 'batch', 'show', '@last', '--json'))).toMatchObject({ name: 'his' })
  await as('ana', ['batch', 'cancel', '@last'])
  expect(await shop.admin('SELECT name FROM batches WHERE cancelled_at IS NULL')).toEqual([{ name: 'his' }])
})
