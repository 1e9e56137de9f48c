// create --idempotent where it cannot keep its word, and says why: nothing is sent.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openWorld, order, overNetwork } from '../../support/world.ts'

const job = [...order, '--idempotent', '--confirm', '--watch']

test.each<[string, string[], string[]]>([
  [
    'another quantity',
    job.with(2, 'GAME-US:25x2'),
    ['product GAME-US: ordered 1 x 25 (fixed), now 2 x 25 (fixed)'],
  ],
  [
    'another product',
    job.with(2, 'GAME-DE:20'),
    [
      'product GAME-US: ordered 1 x 25 (fixed), now none',
      'product GAME-DE: ordered none, now 1 x 20 (fixed)',
    ],
  ],
  ['another wallet', job.with(4, 'EUR'), ['wallet: ordered USD, now EUR']],
])(
  'a different request under the same reference is exit 11, with the differences: %s',
  async (_what, words, violations) => {
    const shop = await openWorld(overNetwork)
    const id = (await shop.asks(job)).data.uid
    const { exit, error } = await shop.asks(words)
    expect({ exit, error }).toEqual({
      exit: 11,
      error: {
        code: 'duplicate',
        message: `the reference po-1 belongs to the order ${id} (successful), which has different contents; nothing was sent`,
        field: 'reference',
        fix: `orderctl get ${id}`,
        advice: 'To order something else, choose a different reference.',
        orderId: id,
        violations,
        retryable: false,
      },
    })
    expect(shop.sent('create')).toBe(1)
    expect(shop.bought()).toEqual([id])
  },
)

test('an order of an assistant, which has no webhook, is not that of a request with one', async () => {
  const shop = await openWorld(overNetwork)
  const { stdout } = await shop.runIn([...order, '-q'], { assistant: {} })
  const { exit, error } = await shop.asks([...job, '--webhook-url', 'https://shop.example/hook'])
  expect({ exit, error }).toMatchObject({
    exit: 11,
    error: { orderId: stdout.trim(), violations: ['webhookUrl: ordered without it, now with it'] },
  })
  expect(shop.bought()).toEqual([])
  // The journal does not know the webhook of a person's order.
  expect((await shop.asks(job)).exit).toBe(0)
  const own = [...job.with(6, 'po-2'), '--webhook-url', 'https://shop.example/hook']
  expect([(await shop.asks(own)).exit, (await shop.asks(own)).exit]).toEqual([0, 0])
  expect(shop.bought()).toHaveLength(2)
})

test('the same products in another order, and the same amount written otherwise, are the same request', async () => {
  const shop = await openWorld(overNetwork)
  const words = (...products: string[]) => [
    ...['create', ...products.flatMap((each) => ['--product', each])],
    ...['--wallet', 'USD', '--reference', 'po-1', '--idempotent', '--confirm'],
  ]
  expect((await shop.asks(words('GAME-US:25', 'GAME-DE:20'))).exit).toBe(0)
  expect((await shop.asks(words('GAME-DE:20.00', 'GAME-US:25x1'))).exit).toBe(0)
  expect(shop.bought()).toHaveLength(1)
})

test('under CI it needs a journal that outlives the job', async () => {
  const shop = await openWorld(overNetwork)
  for (const folder of [undefined, '']) {
    const { exit, error } = await shop.asks(job, { env: { CI: 'true', ORDERCTL_STATE_DIR: folder } })
    expect({ exit, error }).toEqual({
      exit: 9,
      error: {
        code: 'local-state',
        message: '--idempotent needs a journal that outlives this CI job; nothing was sent',
        field: 'ORDERCTL_STATE_DIR',
        advice:
          'Set ORDERCTL_JOURNAL to the address of a shared journal, ' +
          'or ORDERCTL_STATE_DIR to a folder that is kept between jobs.',
        retryable: false,
      },
    })
  }
  expect(shop.sent('create')).toBe(0)
  const env = { CI: 'true' }
  expect((await shop.asks(job, { env })).exit).toBe(0)
  expect((await shop.asks(job, { env })).exit).toBe(0)
  expect(shop.bought()).toHaveLength(1)
})

test('an order file gives the reference, too', async () => {
  const shop = await openWorld(overNetwork)
  const line = { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 1 }
  mkdirSync(shop.home, { recursive: true })
  writeFileSync(
    path.join(shop.home, 'order.json'),
    JSON.stringify({ productList: [line], wallet: 'USD', reference: 'po-1' }),
  )
  const words = ['create', 'order.json', '--idempotent', '--confirm']
  const first = await shop.asks(words)
  expect(await shop.asks(words)).toMatchObject({ exit: 0, data: { uid: first.data.uid } })
  expect(await shop.asks(job)).toMatchObject({ exit: 0, data: { uid: first.data.uid } })
  expect(shop.bought()).toHaveLength(1)
})
