// A service that spells the currency of a wallet in another way: it is the same wallet for every limit and comparison.
import { describe, expect, test } from 'vitest'
import { createNetwork } from '../../../src/client/network.ts'
import type { HttpResponse } from '../../../src/contract/transport.ts'
import type { Situation } from '../../support/in-process.ts'
import { openTeamShop } from '../../support/postgres/team-shop.ts'
import { altered, on, openWorld, order, overNetwork } from '../../support/world.ts'

const spell = (response: HttpResponse, wallet: string, more = {}): HttpResponse =>
  altered(response, (data) => {
    const records = data.invoice.records.map((record: { total: { USD: number } }) => ({
      ...{ ...record, total: { [wallet]: record.total.USD } },
    }))
    return { ...data, invoice: { ...data.invoice, records, wallet, ...more } }
  })

const spelling = (wallet: string, more = {}) =>
  on('get', async (request, service) => spell(await service(request), wallet, more))

describe.each(['usd', 'USD ', 'ＵＳＤ'])('the wallet is %j', (wallet) => {
  const open = async () => {
    const shop = await openWorld(overNetwork)
    const profile = ['profile', 'add', 'shop', '--base-url', 'https://orders.example', '--key-stdin']
    await shop.runIn(profile, { input: 'sk_test' })
    await shop.must('profile', 'limits', 'shop', '--budget', '30usd/day')
    shop.through(spelling(wallet))
    return shop
  }

  test('orders from elsewhere count against the budget', async () => {
    const shop = await open()
    const ids = []
    for (const reference of ['a', 'b', 'c']) ids.push(await shop.calls.created(['GAME-US'], { reference }))
    const ends = []
    for (const id of ids) ends.push((await shop.runIn(['confirm', id, '--yes'])).exit)
    expect([ends, shop.bought()]).toEqual([[0, 12, 12], ids.slice(0, 1)])
    expect(shop.journal('SELECT DISTINCT wallet FROM orders')).toEqual([{ wallet: 'USD' }])
  })

  test('--accept-changes spends from no other wallet', async () => {
    const shop = await open()
    const place = (reference: string) => shop.id(...order.slice(0, -1), reference)
    const [first, second] = [await place('a'), await place('b')]
    // Nothing else differs, so nothing has to be accepted.
    expect((await shop.runIn(['confirm', first, '--yes'])).exit).toBe(0)
    shop.through(spelling(wallet, { total: 24 }))
    const { exit, stderr } = await shop.runIn(['confirm', second, '--accept-changes'])
    expect([exit, shop.bought()]).toEqual([12, [first]])
    expect(stderr).toMatch(
      /over the budget of environment, 30\.00 USD per day: 5\.00 USD is left .*; it was not confirmed/,
    )
  })

  test('what is charged counts', async () => {
    const shop = await open()
    const id = await shop.id(...order)
    await shop.runIn(['confirm', id, '--yes'])
    shop.through(spelling(wallet, { total: 29 }))
    expect((await shop.runIn(['get', id, '-q'])).stderr).toBe(
      `warning: the order ${id} was charged 29 USD, more than its total of 25 USD\n`,
    )
    expect(shop.journal('SELECT charged, counts FROM orders')).toEqual([
      { charged: '29', counts: 29_000_000 },
    ])
  })
})

test('an approval is needed in any spelling', async () => {
  const shop = await openTeamShop('bob')
  await shop.must('ana', 'profile', 'limits', '--approve-above', '20USD')
  const openNetwork: Situation['openNetwork'] = async (options) => {
    const network = createNetwork(options)
    const spelled = async (...request: Parameters<typeof network>) => {
      const response = await network(...request)
      return request[0].path.includes('/order/get') ? spell(response, 'usd') : response
    }
    return Object.assign(spelled, { close: network.close })
  }
  const created = await shop.json('bob', order)
  const ran = await shop.as('bob', ['confirm', created.data.id, '--yes'], { openNetwork })
  expect([ran.exit, await shop.asked()]).toEqual([12, 'create get'])
  expect(ran.said).toContain('needs an approval, because it is above 20.00 USD; it was not confirmed')
})
