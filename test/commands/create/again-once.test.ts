// create --again buys once, however often, where and when it runs. The service's log is the oracle.
import { describe, expect, test } from 'vitest'
import { createDatabase } from '../../support/postgres/database.ts'
import { altered, on, openWorld, order, overNetwork, respond, type World } from '../../support/world.ts'

const { stringify } = JSON
const again = (id: string, ...more: string[]) => ['create', '--again', id, '--confirm', ...more]

const place = async (...more: string[]) => {
  const shop = await openWorld(overNetwork)
  return { shop, id: await shop.id(...order, ...more) }
}

const references = async (shop: World): Promise<string[]> => {
  const { data } = await shop.asks(['list', '--all'])
  return data.map(({ reference, state }: Record<string, string>) => `${reference} ${state}`)
}

test('an expired order is ordered again with its own reference, once', async () => {
  const { shop, id } = await place()
  await shop.advance('16m')
  const { exit, data } = await shop.asks(again(id))
  expect([exit, data.reference]).toEqual([0, 'po-1'])
  expect((await shop.asks(again(id))).exit).toBe(11)
  expect((await shop.asks([...order, '--confirm'])).exit).toBe(11)
  expect([shop.sent('create'), shop.bought()]).toEqual([2, [data.uid]])
})

test('a confirmed order is ordered again once, with the suffix -again', async () => {
  const { shop, id } = await place('--confirm')
  const { exit, data } = await shop.asks(again(id))
  expect([exit, data.reference]).toEqual([0, 'po-1-again'])
  const second = await shop.asks(again(id))
  expect([second.exit, second.error.orderId]).toEqual([11, data.uid])
  expect([shop.sent('create'), shop.bought()]).toEqual([2, [id, data.uid]])
})

test('two runs at once buy once', async () => {
  const { shop, id } = await place()
  await shop.advance('16m')
  const exits = await Promise.all([again(id), again(id)].map(async (words) => (await shop.asks(words)).exit))
  expect(exits.toSorted()).toEqual([0, 11])
  expect(shop.bought()).toHaveLength(1)
})

test('two machines with a shared journal buy once', async () => {
  // Statements of PostgreSQL take real time.
  const shop = await openWorld({ ...overNetwork, realTime: true })
  await using database = await createDatabase()
  const machines = ['one', 'two'].map((name) => ({
    ORDERCTL_JOURNAL: database.address('ana'),
    PGPASSWORD: database.password,
    ORDERCTL_STATE_DIR: `${shop.home}/${name}`,
  }))
  const first = await shop.asks([...order, '--confirm'], { env: machines[0] })
  const ends = await Promise.all(machines.map((env) => shop.asks(again(first.data.uid), { env })))
  expect(ends.map(({ exit }) => exit).toSorted()).toEqual([0, 11])
  expect(shop.bought()).toHaveLength(2)
})

test('an order that is not confirmed is confirmed instead: exit 11 names the command', async () => {
  const { shop, id } = await place()
  const { exit, error } = await shop.asks(again(id))
  expect([exit, error.code, error.fix]).toEqual([11, 'duplicate', `orderctl confirm ${id}`])
  expect((await shop.asks(['confirm', id])).exit).toBe(0)
  expect([shop.sent('create'), shop.bought()]).toEqual([1, [id]])
})

test('an order whose confirm may have spent is not ordered again: exit 6', async () => {
  const { shop, id } = await place()
  shop.through(on('confirm', async () => respond(502, 'lost')))
  expect((await shop.asks(['confirm', id])).exit).toBe(6)
  await shop.advance('5m')
  for (const flags of [[], ['--missing'], ['--reference', 'other']]) {
    const { exit, error } = await shop.asks(again(id, ...flags))
    expect([exit, error.fix]).toEqual([6, undefined])
    expect(error.advice).toContain(`Do not order again. From ${error.safeFrom}, reconcile can check`)
  }
  expect([shop.sent('create'), shop.sent('confirm')]).toEqual([1, 1])
})

test('an order that another program confirmed is not pending: the service is asked first', async () => {
  const { shop, id } = await place()
  await shop.calls.confirm(id)
  expect((await shop.asks(again(id))).data.reference).toBe('po-1-again')
  expect(shop.bought()).toHaveLength(2)
})

describe('an order that the journal does not know', () => {
  const openUnknown = async (state: string) => {
    const shop = await openWorld(overNetwork)
    const id = state === 'created' ? await shop.created('GAME-US:25') : await shop.confirmed('GAME-US:25')
    if (state === 'successful') await shop.advance('5s')
    return { shop, id }
  }

  test('is ordered again once if it is final', async () => {
    const { shop, id } = await openUnknown('successful')
    expect((await shop.asks(again(id))).data.reference).toBe('ref-1-again')
    expect((await shop.asks(again(id))).exit).toBe(11)
    expect(shop.bought()).toHaveLength(2)
  })

  test.each([
    ['created', 11, 'confirm'],
    ['confirmed', 3, 'watch'],
  ])('is not ordered again while it is %s', async (state, code, command) => {
    const { shop, id } = await openUnknown(state)
    const { exit, error } = await shop.asks(again(id))
    expect([exit, error.fix]).toEqual([code, `orderctl ${command} ${id}`])
    expect(shop.sent('create')).toBe(0)
  })
})

describe('a different order under a known id', () => {
  const showStranger = (shop: World) =>
    shop.through(
      on('get', async (request, service) =>
        altered(await service(request), (data) => ({ ...data, reference: 'theirs', state: 'partial' })),
      ),
    )

  test('has no missing cards of the order: exit 6 after a confirm', async () => {
    const { shop, id } = await place('--confirm')
    showStranger(shop)
    const { exit, error } = await shop.asks(again(id, '--missing'))
    expect([exit, error.message]).toEqual([
      6,
      `the service shows a different order under the id ${id}: its reference is not po-1`,
    ])
    expect([shop.sent('create'), shop.bought()]).toEqual([1, [id]])
  })

  test('is never bought: the products come from the journal', async () => {
    const { shop, id } = await place('--confirm')
    showStranger(shop)
    await shop.asks(again(id))
    expect(shop.sent('create')).toBe(2)
    expect(shop.journal('SELECT request FROM orders ORDER BY number DESC')[0]?.request).toBe(
      stringify({
        productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 1 }],
        ...{ wallet: 'USD', reference: 'po-1-again' },
      }),
    )
  })
})

describe('an order of a batch', () => {
  const plan = 'batch run --product GAME-US:25x2 --wallet USD --name gifts --max-total'.split(' ')

  test('is bought by its batch, which still wants it', async () => {
    const shop = await openWorld(overNetwork)
    expect((await shop.asks([...plan, '10'])).exit).toBe(13)
    for (const wait of ['0s', '16m']) {
      await shop.advance(wait)
      const { exit, error } = await shop.asks(again('ref:gifts-0001'))
      expect([exit, error.field, error.fix]).toEqual([2, '--again', 'orderctl batch run gifts'])
    }
    expect(shop.bought()).toEqual([])
  })

  test('is an order like others once it is delivered', async () => {
    const shop = await openWorld(overNetwork)
    expect((await shop.asks([...plan, '50'])).exit).toBe(0)
    expect((await shop.asks(again('ref:gifts-0001'))).data.reference).toBe('gifts-0001-again')
    expect(shop.bought()).toHaveLength(2)
  })
})

describe('in a script, which nobody watches', () => {
  test('@last is refused past a newer attempt that created nothing', async () => {
    const { shop } = await place('--confirm')
    shop.through(on('create', async () => respond(400, 'no')))
    await shop.asks(['create', '--product', 'BOOK-DE:10', '--wallet', 'USD', '--reference', 'new'])
    shop.through()
    const { exit, error } = await shop.asks(again('@last'))
    expect([exit, error.message]).toEqual([2, 'the last order (reference new) was never created: refused'])
    expect(shop.bought()).toHaveLength(1)
  })

  const prepared = async () => {
    const shop = await openWorld(overNetwork)
    const { stdout } = await shop.runIn([...order, '-q'], { assistant: {} })
    await shop.advance('16m')
    return { shop, id: stdout.trim() }
  }

  test('the reference of an order that an assistant prepared is refused', async () => {
    const { shop, id } = await prepared()
    for (const words of [again('ref:po-1'), ['create', '--again', 'ref:po-1']]) {
      const { exit, error } = await shop.asks(words)
      expect([exit, error.message]).toEqual([
        3,
        `ref:po-1 is the order ${id}, which an assistant prepared; nothing was sent`,
      ])
    }
    expect(shop.sent('create')).toBe(1)
  })

  test('its id needs a limit, because the assistant may have ordered more than it was allowed', async () => {
    const { shop, id } = await prepared()
    const { exit, error } = await shop.asks(again(id))
    expect([exit, error.field]).toEqual([3, '--max-total'])
    expect((await shop.asks(again(id, '--max-total', '24'))).exit).toBe(3)
    expect(shop.bought()).toEqual([])
    expect((await shop.asks(['confirm', 'ref:po-1'])).exit).toBe(0)
    expect(shop.bought()).toHaveLength(1)
  })

  test('on a terminal, the review says that an assistant prepared it', async () => {
    const { shop } = await prepared()
    const { exit, stderr } = await shop.atTerminal(['create', '--again', 'ref:po-1'])
    expect(exit).toBe(0)
    expect(stderr).toContain('Reference  po-1\nPrepared by an assistant, with orderctl mcp\n')
    expect(await references(shop)).toEqual(['po-1 created', 'po-1 expired'])
  })
})
