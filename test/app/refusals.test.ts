// What a failed call becomes: one row for each exit code and kind of failure, with the whole error.
import { expect, test } from 'vitest'
import { NotSentError } from '../../src/contract/transport.ts'
import { type ExitName, exitCodes } from '../../src/exit-codes.ts'
import { on, openWorld, order, overNetwork, type Relay, respond } from '../support/world.ts'

const noFunds = 'You have insufficient funds in your wallet to create this order'
/** The id of the first order, by the seed of the service. */
const id = 'sbx_4mdc49tnvrc8y0zd'
const isOver = 'Do not order again. From 2026-03-01T12:12:00Z, reconcile can check whether money was spent.'
const unreadable = async () => respond(200, 'Order retrieved.')
const create = order
const confirm = ['confirm', id]
const get = ['get', id]

/** Forwards the confirm and then returns unreadable responses to get. */
const blindAfterConfirm = (): Relay => {
  let isConfirmed = false
  return async (request, service) => {
    if (isConfirmed) return unreadable()
    isConfirmed = request.method === 'PUT'
    return service(request)
  }
}

type Row = readonly [what: string, words: readonly string[], relay: Relay, exit: ExitName, error: object]

const rows: readonly Row[] = [
  [
    'create, refused',
    create,
    on('create', async () => respond(500, 'Requested item is out of stock')),
    'refused',
    {
      message: 'the service refused: Requested item is out of stock',
      status: 500,
      advice: 'Order less of it, or a different product.',
    },
  ],
  [
    'create, refused with a status that is not documented',
    create,
    on('create', async () => respond(405, '')),
    'refused',
    {
      message: 'the service refused: status 405',
      status: 405,
      advice: 'Check the base URL: this server does not accept orders there.',
    },
  ],
  [
    'create, not found with another message',
    create,
    on('create', async () => respond(404, 'Cannot POST /v2/order/create')),
    'refused',
    {
      message: 'the service refused: Cannot POST /v2/order/create',
      status: 404,
      advice: 'This is not a documented message. Check the base address first, then the SKUs.',
    },
  ],
  [
    'confirm, refused',
    confirm,
    on('confirm', async () => respond(400, noFunds)),
    'refused',
    {
      message: `the service refused to confirm the order ${id}: ${noFunds}. It is not confirmed so far`,
      status: 400,
      orderId: id,
      safeFrom: '2026-03-01T12:12:00Z',
      fix: `orderctl confirm ${id}`,
      advice: isOver,
    },
  ],
  [
    'wrong credentials',
    get,
    on('get', async () => respond(403, 'Forbidden')),
    'credentials',
    {
      message: 'the service rejected the credentials: Forbidden',
      status: 403,
      orderId: id,
      advice: 'Check the key (ORDERCTL_API_KEY), and how it is sent (ORDERCTL_AUTH).',
    },
  ],
  [
    'a service that cannot be reached',
    get,
    on('get', () => Promise.reject(new NotSentError('connection refused'))),
    'unavailable',
    {
      message: 'the service could not be reached at https://orders.example: connection refused',
      orderId: id,
      advice: 'Nothing has changed. Check the network and the base URL, then run the command again.',
    },
  ],
  [
    'get without a usable response',
    get,
    on('get', unreadable),
    'unavailable',
    {
      message:
        'the service gave no usable response: HTTP 200: the response is not as documented: data is missing (allowed: an object)',
      status: 200,
      orderId: id,
      advice: 'Nothing has changed. Run the command again.',
    },
  ],
  [
    'confirm, not found: the outcome is unknown',
    confirm,
    on('confirm', async () => respond(404, 'Not Found')),
    'unknown',
    {
      message: `the outcome of confirming the order ${id} is unknown: HTTP 404: Not Found. get does not show it confirmed so far.`,
      status: 404,
      orderId: id,
      fix: `orderctl reconcile ${id}`,
      advice: 'Do not order again.',
    },
  ],
  [
    'confirm, done, but the order cannot be read',
    confirm,
    blindAfterConfirm(),
    'unknown',
    {
      message:
        'the order is confirmed, but could not be read: the service gave no usable response: HTTP 200: the response is not as documented: data is missing (allowed: an object)',
      status: 200,
      orderId: id,
      fix: `orderctl get ${id}`,
      advice: 'Do not order again.',
    },
  ],
  [
    'confirm, expired',
    confirm,
    on('confirm', async () => respond(419, 'Expired')),
    'expired',
    {
      message: `the order ${id} has expired unconfirmed`,
      status: 419,
      orderId: id,
      safeFrom: '2026-03-01T12:12:00Z',
      advice: isOver,
    },
  ],
]

test.each(rows)('%s', async (_what, words, relay, code, error) => {
  const shop = await openWorld(overNetwork)
  if (words !== create) await shop.id(...order)
  shop.through(relay)
  expect(await shop.asks(words)).toEqual({
    exit: exitCodes[code].code,
    stderr: expect.anything(),
    error: { code, retryable: code === 'unavailable', ...error },
  })
})

test('a missing key is not taken from elsewhere, and a dry run needs none', async () => {
  const shop = await openWorld(overNetwork)
  for (const ORDERCTL_API_KEY of [undefined, '']) {
    const env = { ORDERCTL_API_KEY }
    expect(await shop.asks(create, { env })).toMatchObject({ exit: 4, error: { code: 'credentials' } })
    expect(await shop.asks([...create, '--dry-run'], { env })).toMatchObject({
      exit: 0,
      data: { wallet: 'USD', reference: 'po-1' },
    })
  }
  expect(shop.sent('create')).toBe(0)
})
