// create --again: an earlier order once more, or only what it did not deliver.
import { describe, expect, test } from 'vitest'
import { altered, never, on, openWorld, overNetwork, overSocket, type World } from '../../support/world.ts'

const buy = (...products: string[]) => [
  'create',
  ...products.flatMap((product) => ['--product', product]),
  ...['--wallet', 'USD', '--watch', '--json'],
]

/** The id of a final order. */
const order = async (...products: string[]) => {
  const shop = await openWorld(overNetwork)
  const { data } = await shop.asks(buy(...products))
  return { shop, id: String(data.uid) }
}

type Request = { productList: unknown[]; wallet: string; reference: string }

/** The request that --again would send. */
const previewed = async (shop: World, ...words: string[]): Promise<Request> => {
  const { exit, stdout, stderr } = await shop.runIn(['create', '--again', ...words, '--dry-run'])
  if (exit !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const line = (sku: string, quote: number, quantity: number, productType = 'fixed') => ({
  ...{ sku, productType, quote, quantity },
})

describe('--again', () => {
  test('shows the order, and places it with a reference that every run finds', async () => {
    const shop = await openWorld(overSocket)
    await shop.must(...buy('GAME-US:25x2', 'BOOK-DE:7.5/range'), '--reference', 'first')
    const { exit, stdout, stderr } = await shop.does('create', '--again', 'ref:first')
    expect(exit).toBe(0)
    expect(stdout).toContain('first-again')
    expect(stdout).toMatch(/^BOOK-DE +product/m)
    expect(stderr.replaceAll(/sbx_\w{16}/g, 'sbx_1')).toBe(`where it acts
Products of the order sbx_1:

SKU      TYPE   EACH  ORDERED
─────────────────────────────
GAME-US  fixed    25        2
BOOK-DE  range   7.5        1

Wallet     USD
Reference  first-again

`)
    const listed = JSON.parse(await shop.must('list', '--json'))
    expect(listed.map(({ state }: { state: string }) => state)).toEqual(['created', 'successful'])
  })

  test('takes the wallet and the products of the order, and flags override the wallet and the reference', async () => {
    const { shop, id } = await order('GAME-US:25x2')
    const productList = [line('GAME-US', 25, 2)]
    expect(await previewed(shop, id)).toMatchObject({ productList, wallet: 'USD' })
    expect(await previewed(shop, '@last', '--wallet', 'EUR', '--reference', 'mine')).toEqual({
      ...{ productList, wallet: 'EUR', reference: 'mine' },
    })
    expect(shop.sent('create')).toBe(1)
  })

  test('refuses the reference of the earlier order', async () => {
    const { shop, id } = await order('GAME-US:25')
    const { reference } = JSON.parse((await shop.runIn(['get', id, '--json'])).stdout)
    const { exit } = await shop.asks(['create', '--again', id, '--reference', reference])
    expect([exit, shop.sent('create')]).toEqual([11, 1])
  })

  test('spends only with --confirm or --watch, and keeps to --max-total', async () => {
    const { shop, id } = await order('GAME-US:25')
    expect((await shop.asks(['create', '--again', id])).exit).toBe(0)
    expect(shop.bought()).toEqual([id])
    const other = ['create', '--again', id, '--watch', '--reference', 'other']
    expect((await shop.asks([...other, '--max-total', '24'])).exit).toBe(3)
    expect(shop.bought()).toEqual([id])
    const { data } = await shop.asks(['create', '--again', id, '--watch', '--reference', 'third'])
    expect(shop.bought()).toEqual([id, data.uid])
  })

  test('is not asked about on a terminal, because placing spends nothing', async () => {
    const shop = await openWorld()
    await shop.must(...buy('GAME-US:25'))
    const { exit, questions, stderr } = await shop.atTerminal(['create', '--again', '@last'])
    expect([exit, questions]).toEqual([0, []])
    expect(stderr).toContain('Products of the order ')
  })

  test('prints only the id with -q', async () => {
    const shop = await openWorld()
    await shop.must(...buy('GAME-US:25'))
    const { stdout, stderr } = await shop.runIn(['create', '--again', '@last', '-q'])
    expect(stdout).toMatch(/^sbx_\w+\n$/)
    expect(stderr).not.toContain('The products')
  })

  test('finds the products of an order that is not in the journal', async () => {
    const shop = await openWorld(overSocket)
    const id = await shop.ended('GAME-US:25x2', 'BOOK-DE:7.5')
    const { exit, stdout } = await shop.runIn(['create', '--again', id, '--dry-run'])
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      productList: [line('GAME-US', 25, 2), line('BOOK-DE', 7.5, 1, 'range')],
      wallet: 'USD',
    })
    expect(await shop.asked()).toBe('create confirm get')
  })

  test.each([
    ['an order that nobody has', ['nope'], 3, 'order nope: the service refused: '],
    ['an unknown reference', ['ref:nope'], 2, "no order with reference 'nope' in this journal"],
    ['no earlier order', ['@last'], 2, 'you placed no orders in this journal'],
  ])('refuses %s', async (_title, words, exit, message) => {
    const shop = await openWorld()
    const ran = await shop.runIn(['create', '--again', ...words])
    expect([ran.exit, ran.stdout]).toEqual([exit, ''])
    expect(ran.stderr).toContain(`error: ${message}`)
    expect(await shop.asked()).not.toContain('create')
  })
})

describe('--again --missing', () => {
  test('orders only the products that failed', async () => {
    const { shop, id } = await order('GAME-US:25x2', 'TEST-FAIL:10x3')
    expect(await previewed(shop, id, '--missing')).toMatchObject({
      productList: [line('TEST-FAIL', 10, 3)],
      wallet: 'USD',
    })
    const { exit, stderr } = await shop.run(['create', '--again', id, '--missing'])
    expect(exit).toBe(0)
    expect(stderr).toContain(`Products that the order ${id} did not deliver:\n`)
  })

  test('orders only the cards that are missing of a product', async () => {
    const shop = await openWorld(overNetwork)
    shop.through(
      on('get', async (request, service) =>
        altered(await service(request), (data) => {
          if (data.state !== 'successful') return data
          data.state = 'partial'
          data.redeem['GAME-US'].cards.pop()
          return data
        }),
      ),
    )
    const { data } = await shop.asks(buy('GAME-US:25x3'))
    const { productList } = await previewed(shop, data.uid, '--missing')
    expect(productList).toEqual([line('GAME-US', 25, 1)])
  })

  test('continues the same order with --idempotent', async () => {
    const { shop, id } = await order('GAME-US:25', 'TEST-FAIL:10')
    const words = ['create', '--again', id, '--missing', '--reference', 'rest', '--idempotent']
    const [first, second] = [await shop.asks(words), await shop.asks(words)]
    expect([first.exit, second.exit, second.data.uid]).toEqual([0, 0, first.data.id])
    expect(shop.sent('create')).toBe(2)
    expect(second.stderr).not.toContain('The products')
  })

  test('orders everything of a failed order', async () => {
    const { shop, id } = await order('TEST-FAIL:10x2')
    expect((await previewed(shop, id, '--missing')).productList).toEqual([line('TEST-FAIL', 10, 2)])
  })

  test('takes the type of the product from the service if the order is not in the journal', async () => {
    const shop = await openWorld(overSocket)
    const id = await shop.ended('TEST-FAIL:10', 'BOOK-DE:7.5')
    const { stdout } = await shop.runIn(['create', '--again', id, '--missing', '--dry-run'])
    expect(JSON.parse(stdout).productList).toEqual([line('TEST-FAIL', 10, 1)])
  })

  test('has a reference of its own, so that a second run does not buy the cards again', async () => {
    const { shop, id } = await order('GAME-US:25', 'TEST-FAIL:10')
    const { reference } = JSON.parse(await shop.must('get', id, '--json'))
    const again = ['create', '--again', id, '--missing', '--confirm', '--json']
    expect(JSON.parse((await shop.runIn(again)).stdout).reference).toBe(`${reference}-missing`)
    const second = await shop.runIn(again)
    expect(second.exit).toBe(11)
    expect(JSON.parse(second.stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({
      code: 'duplicate',
      field: 'reference',
    })
  })

  test('is refused for all orders of a batch at once', async () => {
    const shop = await openWorld(overSocket)
    await shop.runIn('batch run --product GAME-US:25x30 --wallet USD --max-total 800 --name gifts'.split(' '))
    const { exit, stderr } = await shop.runIn(['create', '--again', 'batch:gifts'])
    expect([exit, stderr]).toEqual([2, expect.stringContaining('6 orders')])
  })

  test('is refused for an order of a batch, which buys its failed cards itself', async () => {
    const shop = await openWorld(overSocket)
    await shop.runIn('batch run --product TEST-FAIL:10 --wallet USD --max-total 100 --name gifts'.split(' '))
    const { exit, stderr } = await shop.runIn(['create', '--again', 'ref:gifts-0001', '--missing'])
    expect(exit).toBe(2)
    expect(stderr).toContain('belongs to the batch gifts; nothing was sent')
    expect(stderr).toContain('orderctl batch run gifts --retry-failed')
  })

  test('is an error if the order delivered all its cards', async () => {
    const { shop, id } = await order('GAME-US:25x2')
    const { exit, error } = await shop.asks(['create', '--again', id, '--missing'])
    expect({ exit, error }).toEqual({
      exit: 2,
      error: {
        code: 'usage',
        message: `the order ${id} delivered all its cards; nothing was sent`,
        field: '--missing',
        orderId: id,
        advice: 'To order all its products again, omit --missing.',
        retryable: false,
      },
    })
    expect(shop.sent('create')).toBe(1)
  })

  test('refuses an order that is not confirmed', async () => {
    const shop = await openWorld(overNetwork)
    const { data } = await shop.asks(['create', '--product', 'GAME-US:25', '--wallet', 'USD'])
    const { exit, error } = await shop.asks(['create', '--again', data.id, '--missing'])
    expect([exit, error.message, error.fix]).toEqual([
      11,
      `the order ${data.id} is not confirmed yet; nothing was sent`,
      `orderctl confirm ${data.id}`,
    ])
  })

  test('refuses an order that was never confirmed', async () => {
    const shop = await openWorld(overNetwork)
    const { data } = await shop.asks(['create', '--product', 'GAME-US:25', '--wallet', 'USD'])
    await shop.advance('16m')
    const { exit, error } = await shop.asks(['create', '--again', data.id, '--missing'])
    expect([exit, error.message, error.fix]).toEqual([
      3,
      `the order ${data.id} was never confirmed; nothing was sent`,
      `orderctl create --again ${data.id}`,
    ])
  })

  test('refuses an order that is still in progress', async () => {
    const shop = await openWorld({ ...overNetwork, processingMs: 3_600_000 })
    const { data } = await shop.asks(['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--confirm'])
    const { exit, error } = await shop.asks(['create', '--again', data.uid, '--missing'])
    expect([exit, error.fix]).toEqual([3, `orderctl watch ${data.uid}`])
    expect(shop.sent('create')).toBe(1)
  })
})

/** Its process was killed before the confirm reached the service. */
const unproven = async () => {
  const shop = await openWorld(overNetwork)
  const { data } = await shop.asks(['create', '--product', 'GAME-US:25x2', '--wallet', 'USD'])
  shop.through(on('confirm', never))
  void shop.runIn(['confirm', data.id])
  while (shop.sent('confirm') === 0) await new Promise(setImmediate)
  shop.through()
  return { shop, id: String(data.id) }
}

describe('after a confirm whose outcome is unknown', () => {
  test.each([
    ['the same order', []],
    ['from another wallet', ['--wallet', 'EUR']],
    ['with a reference', ['--reference', 'mine']],
    ['with --dry-run', ['--dry-run']],
  ])('--again is refused: %s', async (_title, words) => {
    const { shop, id } = await unproven()
    const { exit, error } = await shop.asks(['create', '--again', id, ...words])
    expect([exit, error.code, error.fix]).toEqual([6, 'unknown', undefined])
    expect(error.advice).toContain(`Do not order again. From ${error.safeFrom}, reconcile can check`)
    expect(shop.sent('create')).toBe(1)
  })

  test('--again is allowed with --allow-duplicate', async () => {
    const { shop, id } = await unproven()
    expect((await shop.asks(['create', '--again', id, '--allow-duplicate'])).exit).toBe(0)
    expect(shop.sent('create')).toBe(2)
  })

  test('--missing is refused, also with --allow-duplicate', async () => {
    const { shop, id } = await unproven()
    const { exit, error } = await shop.asks(['create', '--again', id, '--missing', '--allow-duplicate'])
    expect([exit, error.fix]).toEqual([6, undefined])
    expect(shop.sent('create')).toBe(1)
  })
})
