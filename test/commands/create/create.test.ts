// create: what it prints, and what it sends.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { apiKey } from '../../support/embedded.ts'
import { openWorld, order, overNetwork, type World } from '../../support/world.ts'

const id = 'sbx_4mdc49tnvrc8y0zd'
const where = 'Using the environment: https://orders.example\n'
const placed = `created ${id} (reference po-1): 25.00 USD from the USD wallet, expires in 10 min\n`
const document = {
  productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }],
  wallet: 'USD',
  reference: 'from-the-file',
}
const file = (shop: World, text: string): string => {
  writeFileSync(path.join(shop.home, 'order.json'), text)
  return 'order.json'
}

describe('an order', () => {
  test('from flags, a file or standard input is printed with its reference', async () => {
    const words = ['--product', 'GAME-US:25x2', '--wallet', 'USD', '--reference', 'from-the-file']
    for (const from of ['flags', 'file', 'input']) {
      const shop = await openWorld(overNetwork)
      const name = from === 'file' ? file(shop, JSON.stringify(document)) : '-'
      const input = from === 'input' ? { input: JSON.stringify(document) } : {}
      const { exit, data, stderr } = await shop.asks(
        ['create', ...(from === 'flags' ? words : [name])],
        input,
      )
      expect({ exit, stderr, data }).toEqual({
        exit: 0,
        stderr: '',
        data: {
          id,
          exchangeRates: [],
          invoice: expect.objectContaining({ total: 50, wallet: 'USD', status: 'unpaid' }),
          retailInvoice: expect.objectContaining({ total: 50 }),
          expiresAt: Date.UTC(2026, 2, 1, 12, 10),
          reference: 'from-the-file',
        },
      })
    }
  })

  test('without a reference gets one', async () => {
    const { data } = await (await openWorld(overNetwork)).asks(order.slice(0, 5))
    expect(data.reference).toMatch(/^orderctl-2026-03-01-[\da-f]{12}$/)
  })

  test('is printed in part with --fields, and confirmed with --confirm', async () => {
    const shop = await openWorld(overNetwork)
    const words = [...order, '--confirm', '--fields', 'uid,state,invoice.status']
    const { exit, data, stderr } = await shop.asks(words)
    expect({ exit, stderr, data }).toEqual({
      exit: 0,
      stderr: '',
      data: { uid: id, state: 'confirmed', invoice: { status: 'paid' } },
    })
  })

  test('above --max-total is not confirmed', async () => {
    const shop = await openWorld(overNetwork)
    expect(await shop.runIn([...order, '--confirm', '--max-total', '24.99', '-q'])).toMatchObject({
      exit: 3,
      stdout: '',
      stderr:
        `error: the order ${id} costs 25.00 USD, more than --max-total 24.99; it was not confirmed\n` +
        `try: orderctl get ${id}\nRaise the limit: orderctl confirm ${id} --max-total 25\n`,
    })
    expect(shop.sent('confirm')).toBe(0)
  })
})

describe('--watch', () => {
  test('confirms, waits, and prints the final order with hidden codes', async () => {
    const { exit, data, stderr } = await (await openWorld(overNetwork)).asks([...order, '--watch'])
    expect({ exit, stderr, data }).toEqual({
      exit: 0,
      stderr: '',
      data: expect.objectContaining({
        ...{ uid: id, state: 'successful', reference: 'po-1' },
        invoice: expect.objectContaining({ status: 'paid' }),
        redeem: {
          'GAME-US': expect.objectContaining({
            cards: [
              expect.objectContaining({
                redeemLink: 'redeem.example/…',
                redeemCardCode: expect.stringMatching(/^••••[\dA-Z]{4}$/),
                redeemSerialNumber: expect.stringMatching(/^••••[\dA-Z]{4}$/),
                redeemPin: '••••',
              }),
            ],
          }),
        },
      }),
    })
  })

  test('prints each state on stderr, and the order on stdout', async () => {
    const { exit, stdout, stderr } = await (await openWorld(overNetwork)).run([...order, '--watch'])
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr:
        `${where}${placed}${id}  … confirmed  after 0 s\n${id}  … processing  after 1 s\n` +
        `${id}  ✓ successful  after 4 s\nCodes are hidden. Show them: orderctl redeem ${id} --reveal\n`,
    })
    expect(stdout).toMatch(/^Order /)
    expect(stdout).toMatch(
      /GAME-US {2}25\.00 USD {2}••••\w{4} {2}•••• {2}••••\w{4} {2}redeem\.example\/… {2}/,
    )
  })

  test.each([
    ['TEST-FAIL:10', 7, 'failed'],
    ['TEST-REJECT:10', 7, 'rejected'],
    // The get before the confirm does not find the order at first.
    ['TEST-NOT-FOUND-LATER:10', 0, 'successful'],
  ])('of %s ends with exit code %i', async (product, exit, state) => {
    const shop = await openWorld(overNetwork)
    const ran = await shop.asks([...order.with(2, product), '--watch', '--fields', 'state'])
    expect(ran).toMatchObject({
      ...{ exit, data: { state } },
      stderr: '',
    })
  })
})

describe('--dry-run', () => {
  const preview = async (words: readonly string[], text?: string) => {
    const shop = await openWorld(overNetwork)
    const name = text === undefined ? [] : [file(shop, text)]
    const ran = await shop.runIn(['create', ...name, ...words, '--dry-run'])
    expect([ran.exit, ran.stderr, shop.sent('create')]).toEqual([
      0,
      'The order is valid. Nothing was sent.\n',
      0,
    ])
    return ran.stdout
  }

  test('prints the whole request', async () => {
    const words = [...order.slice(1).with(1, 'GAME-US:25x2'), '--webhook-url', 'https://hooks.example/x']
    expect(JSON.parse(await preview(words))).toEqual({
      ...{ ...document, reference: 'po-1', webhookUrl: 'https://hooks.example/x' },
    })
  })

  test('takes the types of products from the sandbox', async () => {
    const words = ['--profile', 'sandbox', '--product', 'COFFEE-US:12.50', '--wallet', 'USD']
    expect(JSON.parse(await preview(words)).productList).toEqual([
      { sku: 'COFFEE-US', productType: 'range', quote: 12.5, quantity: 1 },
    ])
  })

  test('reads --product from the right: a SKU may contain a colon', async () => {
    const words = ['--product', 'A:B:1.50x3/range', '--wallet', 'USD']
    expect(JSON.parse(await preview(words)).productList).toEqual([
      { sku: 'A:B', productType: 'range', quote: 1.5, quantity: 3 },
    ])
  })

  test('prefers flags to the file, field by field', async () => {
    const text = JSON.stringify({ $schema: 'order.schema.json', ...document })
    const over = async (...words: string[]) => JSON.parse(await preview(words, text))
    expect(await over()).toEqual(document)
    expect(await over('--wallet', 'EUR')).toEqual({ ...document, wallet: 'EUR' })
    expect(await over('--reference', 'mine')).toEqual({ ...document, reference: 'mine' })
    expect(await over('--product', 'GAME-DE:20')).toEqual({
      ...document,
      productList: [{ sku: 'GAME-DE', productType: 'fixed', quote: 20, quantity: 1 }],
    })
  })

  test('keeps an amount exact that a double cannot hold', async () => {
    const text = JSON.stringify(document).replace('"quote":25', '"quote":12345678901234567.12')
    expect(await preview([], text)).toContain('"quote": 12345678901234567.12')
  })
})

test('--skeleton is a file that the schema and create accept', async () => {
  const shop = await openWorld(overNetwork)
  const skeleton = await shop.must('create', '--skeleton')
  const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(
    JSON.parse(await shop.must('create', '--schema')),
  )
  expect(isValid(JSON.parse(skeleton)), JSON.stringify(isValid.errors)).toBe(true)
  expect(isValid({ ...JSON.parse(skeleton), wallet: 'U' })).toBe(false)
  expect(await shop.id('create', file(shop, skeleton))).toBe(id)
})

describe('an account with a login and a short password', () => {
  const open = async () => {
    const shop = await openWorld(overNetwork)
    const env = { ORDERCTL_API_KEY: 'the-shop:pass', ORDERCTL_AUTH: 'basic' }
    const relay = (isLost: boolean) =>
      shop.through(async ({ headers, ...request }, service) => {
        const authorized = { ...request, headers: { ...headers, authorization: `Bearer ${apiKey}` } }
        const response = await service(authorized)
        if (isLost && request.method === 'PUT') throw new Error('reset')
        return response
      })
    relay(false)
    return { shop, relay, buys: (words: readonly string[]) => shop.asks([...words, '--confirm'], { env }) }
  }

  test('finds its order after a lost confirm, although the reference contains the user name', async () => {
    const { shop, relay, buys } = await open()
    relay(true)
    const { exit, data } = await buys([...order.slice(0, -1), 'the-shop-po-1'])
    expect({ exit, reference: data.reference }).toEqual({ exit: 0, reference: 'the-shop-po-1' })
    expect(shop.bought()).toEqual([data.uid])
  })

  test.each([
    ['reference', 'reference', [...order.slice(0, -1), 'The-Shop']],
    ['reference', 'reference', [...order.slice(0, -1), 'for the-shop:pass']],
    [
      'SKU',
      'productList[1].sku',
      [...order, '--product', `${Buffer.from('the-shop:pass').toString('base64')}:1/range`],
    ],
  ])('refuses a %s that the mask would change, also with --dry-run: %s, %j', async (what, field, words) => {
    const { shop, buys } = await open()
    const refused = {
      exit: 2,
      error: {
        code: 'usage',
        message: `the ${what} contains the account's key, or a part of it; nothing was sent`,
        field,
      },
    }
    expect(await buys(words)).toMatchObject(refused)
    expect(await buys([...words, '--dry-run'])).toMatchObject(refused)
    expect(shop.sent('create')).toBe(0)
    expect(shop.journal('SELECT * FROM orders')).toEqual([])
  })
})
