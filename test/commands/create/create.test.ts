// create --skeleton, an account with a login, and a certificate that is not trusted. create.session has the others.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { NotSentError } from '../../../src/contract/transport.ts'
import { apiKey } from '../../support/embedded.ts'
import { openWorld, order, overNetwork, type World } from '../../support/world.ts'

const id = 'sbx_4mdc49tnvrc8y0zd'
const file = (shop: World, text: string): string => {
  writeFileSync(path.join(shop.home, 'order.json'), text)
  return 'order.json'
}

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
    expect(shop.bought()).toEqual([data.id])
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

test('--retry-for ends at once if a person must act first', async () => {
  const shop = await openWorld(overNetwork)
  shop.through(async () => {
    throw new NotSentError('certificate is self-signed', 'Set NODE_EXTRA_CA_CERTS.')
  })
  const { exit, error } = await shop.asks([...order, '--idempotent', '--retry-for', '10m'])
  expect([exit, error.retryable, shop.operations()]).toEqual([5, false, ['create']])
})
