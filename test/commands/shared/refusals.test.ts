// Section 7 and what can go wrong on the way: exit code, message, and what was asked.
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { byExecutable, type Customer, openerFor, overSocket, scrub } from '../../support/customer.ts'
import { hastyClock } from '../../support/in-process.ts'

const id = 'sbx_1234567890abcdef'

/** What an error says, as JSON, scrubbed, its fix aside; the exit code and stdout with it. */
const failing = async ({ run }: Customer, words: readonly string[], env: Record<string, string> = {}) => {
  const { exit, stdout, stderr } = await run([...words, '--json'], { env })
  const lines = scrub(stderr).trimEnd().split('\n')
  const { fix, ...error } = JSON.parse(lines.at(-1) ?? '').error
  return { exit, stdout, error, fix }
}

const create = (...words: string[]) => ['create', '--wallet', 'USD', '--reference', 'r', ...words]
const ordered = (product: string, ...words: string[]) => create('--product', product, ...words)

const refused = (status: number, message: string, more: { readonly orderId?: string } = {}) => ({
  exit: 3,
  stdout: '',
  error: {
    code: 'refused',
    message: `${more.orderId ? `order ${more.orderId}: ` : ''}the service refused: ${message}`,
    status,
    retryable: false,
    ...more,
  },
})

describe('over a socket', { concurrent: true, timeout: 30_000 }, () => {
  const open = openerFor(overSocket)
  describe('what the service refuses to create', () => {
    test.each([
      ['GAME-US:26', 400, "The entered quote doesn't match the SKU."],
      ['GAME-US:25/range', 400, "The entered quote doesn't match the SKU."],
      ['COFFEE-US:101/range', 400, 'The entered quote is not in range'],
      ['NOBODY:1', 404, 'One or more product in the sent list are not found.'],
      ['TEST-NO-EXCHANGE:10', 500, 'Your requested exchange is not supported'],
      ['TEST-OUT-OF-STOCK:10', 500, 'Requested item is out of stock'],
    ])('%s', async (product, status, message) => {
      const shop = await open()
      expect(await failing(shop, ordered(product))).toMatchObject(refused(status, message))
      expect(await shop.asked()).toBe('create')
    })

    test('what the wallet cannot pay', async () => {
      const shop = await open()
      const words = ['create', '--wallet', 'AUD', '--reference', 'r', '--product', 'FILM-AU:20']
      expect(await failing(shop, words)).toMatchObject(
        refused(400, 'You have insufficient funds in your wallet to create this order'),
      )
    })

    // What is checked before anything is sent never comes from our own service.
    test.each([
      [
        400,
        'Requested product list is bigger than allowed',
        'Reduce the size of the order: at most 5 SKUs, 5 of each, 25 in all.',
      ],
      [400, 'Your product list is not formatted well', 'Product list items must have unique SKUs.'],
    ])('%i %s', async (status, message, fix) => {
      const shop = await open()
      await shop.fault(`create:status=${status},${JSON.stringify({ message })}`)
      expect(await failing(shop, ordered('GAME-US:25'))).toEqual({ ...refused(status, message), fix })
    })

    test.each([
      [405, 'Check the base URL: this server does not accept orders there.', false],
      [413, 'Make the order smaller, or its reference shorter.', false],
      [415, 'Check the base URL: this server does not accept JSON there.', false],
      [421, 'Check the base URL: another server answered.', false],
      [426, 'Check whether the base URL must begin with https://.', false],
      [429, 'Wait a minute, then run it again.', true],
      [431, 'Check the key: the headers of the request are too large.', false],
    ])('with the undocumented status %i', async (status, fix, retryable) => {
      const shop = await open()
      await shop.fault(`create:status=${status},`)
      const { error, ...rest } = refused(status, `status ${status}`)
      expect(await failing(shop, ordered('GAME-US:25'))).toEqual({
        ...rest,
        error: { ...error, retryable },
        fix,
      })
      expect(await shop.asked()).toBe('create')
    })

    test('a failure of the server is no refusal: it spends nothing, and may be run again', async () => {
      const shop = await open()
      expect(await failing(shop, ordered('TEST-SERVER-ERROR:10'))).toMatchObject({
        exit: 5,
        stdout: '',
        error: { code: 'unavailable', status: 500, retryable: true },
        fix: 'Run the command again. If an order was created, it expires unconfirmed and costs nothing.',
      })
      expect(await shop.asked()).toBe('create')
    })
  })

  describe('what the service refuses to confirm', () => {
    /** An answer, but no proof: the message names the time from which ordering anew is safe. */
    const unconfirmed = (status: number, message: string) => ({
      exit: 3,
      stdout: '',
      error: {
        code: 'refused',
        message: `the service refused to confirm the order ${id}: ${message.replace(/\.$/, '')}. It is not confirmed so far`,
        status,
        orderId: id,
        safeFrom: 'an ISO time',
        retryable: false,
      },
      fix: `Confirm it again: orderctl confirm ${id}. Ordering again is safe from an ISO time, after orderctl reconcile ${id}`,
    })

    const confirming = async (shop: Customer, status: number, message: string) => {
      await shop.fault(`confirm:status=${status},${JSON.stringify({ message })}`)
      return failing(shop, ['confirm', await shop.created('GAME-US:25')])
    }

    test('for want of money', async () => {
      const shop = await open()
      const message = 'You have insufficient funds in your wallet to create this order'
      expect(await confirming(shop, 400, message)).toEqual(unconfirmed(400, message))
      expect(await shop.asked()).toBe('create get confirm get')
    })

    test('for an id that is none', async () => {
      const shop = await open()
      const message = 'Request body has no valid `orderId`.'
      expect(await confirming(shop, 400, message)).toEqual(unconfirmed(400, message))
    })

    test('for an order that has expired', async () => {
      const shop = await open()
      expect(await confirming(shop, 419, 'Expired')).toEqual({
        exit: 10,
        stdout: '',
        error: {
          code: 'expired',
          message: `the order ${id} has expired unconfirmed`,
          status: 419,
          orderId: id,
          safeFrom: 'an ISO time',
          retryable: false,
        },
        fix: `Ordering again is safe from an ISO time, after orderctl reconcile ${id}`,
      })
    })

    test('with 404, which is no refusal: after six more looks at the order its outcome is unknown', async () => {
      const shop = await open()
      const order = await shop.created('GAME-US:25')
      await shop.fault('confirm:status=404,{"message":"Not Found"}')
      const { exit, stderr } = await shop.atTerminal(['confirm', order, '--json'], {
        terminals: [],
        clock: hastyClock(),
      })
      expect({ exit, error: JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error }).toEqual({
        exit: 6,
        error: {
          code: 'unknown',
          message: `the outcome of confirming the order ${order} is unknown: HTTP 404: Not Found. Its state is created.`,
          status: 404,
          orderId: order,
          fix: `Do not order again. Settle it: orderctl reconcile ${order}`,
          retryable: false,
        },
      })
      expect(await shop.asked()).toBe(`create get confirm${' get'.repeat(7)}`)
    })
  })

  describe('credentials', () => {
    test.each([
      ['create', () => ordered('GAME-US:25')],
      ['confirm', () => ['confirm', 'ord_nobody']],
      ['get', () => ['get', 'ord_nobody']],
      ['redeem', () => ['redeem', 'ord_nobody']],
      ['watch', () => ['watch', 'ord_nobody']],
    ])('that are wrong end %s with exit code 4', async (_command, words) => {
      const shop = await open()
      const { exit, stdout, error, fix } = await failing(shop, words(), { ORDERCTL_API_KEY: 'canary-key' })
      expect({ exit, stdout, error, fix }).toMatchObject({
        exit: 4,
        stdout: '',
        error: { code: 'credentials', status: 403 },
        fix: 'Check the key and how it is sent: orderctl profile add NAME --replace, or ORDERCTL_API_KEY and ORDERCTL_AUTH.',
      })
      expect(error.message).toMatch(/^the service rejected the credentials: /)
      expect((await shop.asked()).split(' ')).toHaveLength(1)
    })

    test('that are missing are never looked for elsewhere', async () => {
      const shop = await open()
      const ran = await shop.run(['get', 'ord_nobody'], { env: { ORDERCTL_API_KEY: undefined } })
      expect(ran).toEqual({
        exit: 4,
        stdout: '',
        stderr: 'error: ORDERCTL_BASE_URL is set, but ORDERCTL_API_KEY is not\ntry: Set ORDERCTL_API_KEY.\n',
      })
      expect(await shop.asked()).toBe('')
    })
  })

  test('a key is not needed where nothing is sent, also where a pipeline was given none', async () => {
    const shop = await open()
    const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'r']
    for (const ORDERCTL_API_KEY of [undefined, '']) {
      const env = { ORDERCTL_API_KEY }
      const { exit, stdout, stderr } = await shop.run([...words, '--dry-run'], { env })
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'The order is valid. Nothing was sent.\n' })
      expect(JSON.parse(stdout)).toMatchObject({ wallet: 'USD', reference: 'r' })
      expect((await shop.run(words, { env })).exit).toBe(4)
    }
    expect(await shop.asked()).toBe('')
  })

  test('a create that is not found in other words may be at a wrong address', async () => {
    const shop = await open()
    const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'r', '--json']
    const fixOf = async (fault: string): Promise<string> => {
      await shop.fault(fault)
      const { exit, stderr } = await shop.run(words)
      expect(exit).toBe(3)
      return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.fix
    }
    for (const body of ['', '{"message":"Cannot POST /v2/order/create"}', '{"message":"Not Found"}']) {
      expect(await fixOf(`create:status=404,${body}`)).toBe(
        'This is not a documented message. Check the base address first, then the SKUs.',
      )
    }
    const documented = 'One or more product in the sent list are not found'
    expect(await fixOf(`create:status=404,{"message":"${documented}"}`)).toBe('Check the SKUs.')
  })

  /** An address where nobody listens. */
  const nowhere = async (): Promise<string> => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    return `http://127.0.0.1:${port}`
  }

  test('where nobody listens nothing was sent, whatever the command', async () => {
    const shop = await open()
    const env = { ORDERCTL_BASE_URL: await nowhere() }
    const all = await Promise.all(
      [ordered('GAME-US:25'), ['confirm', 'o'], ['get', 'o'], ['redeem', 'o']].map((words) =>
        failing(shop, words, env),
      ),
    )
    for (const each of all) {
      expect(each).toMatchObject({
        exit: 5,
        stdout: '',
        error: { code: 'unavailable', retryable: true },
        fix: 'Nothing has changed. Check the network and the base URL, then run the command again.',
      })
      expect(each.error.message).toMatch(/^the service could not be reached: /)
    }
  })

  describe('a create whose answer is lost', () => {
    const lost = {
      message: /^create gave no usable answer: .*\. Nothing was spent$/,
      retryable: true,
      fix: 'Run the command again. If an order was created, it expires unconfirmed and costs nothing.',
    }
    const named = {
      message: new RegExp(
        `^created ${id}, but the answer was not as documented: .*\\. It is not confirmed, and nothing was spent$`,
      ),
      retryable: false,
      fix: `Show it: orderctl get ${id}`,
    }

    test.each([
      ['create:reset-before', lost],
      ['create:reset-after', lost],
      ['create:empty', lost],
      ['create:truncate', named],
      ['create:bad-json', named],
      ['create:garbage', lost],
      ['create:html', lost],
      ['create:redirect', lost],
      ['create:status=503', lost],
      ['create:status=200,{}', lost],
      ['create:drip', lost],
    ])('by %s spends nothing, is sent once, and says what to do', async (fault, wanted) => {
      const shop = await open()
      await shop.fault(fault)
      const { message, retryable, fix } = wanted
      expect(await failing(shop, ordered('GAME-US:25', '--confirm', '--timeout', '1s'))).toMatchObject({
        exit: 5,
        stdout: '',
        error: { code: 'unavailable', message: expect.stringMatching(message), retryable },
        fix,
      })
      expect(await shop.asked()).toBe('create')
    })

    test('is done all the same where the answer is whole, whatever it calls itself', async () => {
      const shop = await open()
      await shop.fault('create:content-type')
      const { exit, stdout } = await shop.run(ordered('GAME-US:25', '-q'))
      expect({ exit, stdout: scrub(stdout) }).toEqual({ exit: 0, stdout: `${id}\n` })
    })
  })

  describe('a confirm whose answer is lost', () => {
    test.each([
      'confirm:reset-after',
      'confirm:empty',
      'confirm:truncate',
      'confirm:bad-json',
      'confirm:garbage',
    ])('by %s is settled by a look at the order, and is sent once', async (fault) => {
      const shop = await open()
      const order = await shop.created('GAME-US:25')
      await shop.fault(fault)
      const { exit, stdout } = await shop.run(['confirm', order, '--json', '--fields', 'uid,invoice.status'])
      expect({ exit, document: JSON.parse(stdout) }).toEqual({
        exit: 0,
        document: { uid: order, invoice: { status: 'paid' } },
      })
      expect(await shop.asked()).toBe('create get confirm get get')
    })

    test('and whose order cannot be shown afterwards is not called unsent: do not order again', async () => {
      const shop = await open()
      const order = await shop.created('GAME-US:25')
      await shop.fault('get:content-typex1')
      await shop.fault('get:bad-jsonx3')
      const { exit, stdout, error, fix } = await failing(shop, ['confirm', order])
      expect({ exit, stdout, error, fix }).toMatchObject({
        exit: 6,
        stdout: '',
        error: { code: 'unknown', orderId: id, retryable: false },
        fix: `Do not order again. Show the order: orderctl get ${id}`,
      })
      expect(error.message).toMatch(/^the order is confirmed, but could not be (?:shown|read): /)
      expect(await shop.asked()).toMatch(/^create get confirm get/)
    })
  })

  describe('a get', () => {
    test.each(['get:reset-before', 'get:empty', 'get:status=503', 'get:html', 'get:status=429'])(
      'that fails once by %s is made again',

      async (fault) => {
        const shop = await open()
        const order = await shop.created('GAME-US:25')
        await shop.fault(fault)
        expect(await shop.run(['get', order, '-q'])).toEqual({
          exit: 0,
          stdout: `${order}\n`,
          stderr: '',
        })
        expect(await shop.asked()).toBe('create get get')
      },
    )

    test.each(['get:truncatex9', 'get:bad-jsonx9', 'get:garbagex9', 'get:redirectx9', 'get:htmlx9'])(
      'fails with exit code 5 if its answer cannot be read: %s',

      async (fault) => {
        const shop = await open()
        const order = await shop.created('GAME-US:25')
        await shop.fault(fault)
        expect(await failing(shop, ['get', order])).toMatchObject({
          exit: 5,
          stdout: '',
          error: { code: 'unavailable', orderId: id, retryable: true },
          fix: 'Nothing has changed. Run the command again.',
        })
      },
    )
  })
})

describe('the built executable says the same', { concurrent: true, timeout: 30_000 }, () => {
  const [openHere, openBuilt] = [openerFor(overSocket), openerFor(byExecutable)]
  test.each<[string, string, (shop: Customer) => string[] | Promise<string[]>]>([
    ['of a product that is sold out', '', () => ordered('TEST-OUT-OF-STOCK:10')],
    ['of a lost create', 'create:reset-after', () => ordered('GAME-US:25')],
    ['of a create in HTML', 'create:html', () => ordered('GAME-US:25')],
    [
      'of an order that has expired',
      'confirm:status=419,{"message":"Expired"}',
      async (shop) => ['confirm', await shop.created('GAME-US:25')],
    ],
    ['of a get that nobody can read', 'get:bad-jsonx9', () => ['get', id]],
  ])('%s', async (_case, fault, words) => {
    const said = async (shop: Customer) => {
      if (fault !== '') await shop.fault(fault)
      const ran = await failing(shop, await words(shop))
      return { ...ran, asked: await shop.asked() }
    }
    const [here, built] = await Promise.all([said(await openHere()), said(await openBuilt())])
    expect(built).toEqual(here)
    expect(built.exit).not.toBe(0)
  })
})
