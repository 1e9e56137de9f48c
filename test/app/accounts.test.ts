// An account is an address, whatever leads to it: no profile, variable or spelling buys a reference twice.
import { describe, expect, test } from 'vitest'
import { apiKey } from '../support/embedded.ts'
import { never, on, openWorld, order, overNetwork, respond, type World } from '../support/world.ts'

const buys = [...order, '--confirm']
const byProfile = { env: { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined } }

const addProfile = async (shop: World, name: string, url: string, ...flags: string[]): Promise<void> => {
  const words = ['profile', 'add', name, '--base-url', url, '--key-stdin', ...flags]
  expect(await shop.runIn(words, { input: apiKey })).toMatchObject({ exit: 0 })
}

test('two profiles, and the environment beside them, buy a reference once', async () => {
  const shop = await openWorld(overNetwork)
  await addProfile(shop, 'one', 'https://orders.example')
  await addProfile(shop, 'two', 'https://orders.example')
  const first = await shop.asks([...buys, '--profile', 'one'], byProfile)
  expect(first).toMatchObject({ exit: 0, data: { state: 'confirmed' } })
  for (const [words, situation, flags] of [
    [[...buys, '--profile', 'two'], byProfile, ' --profile two'],
    [[...buys, '--profile', 'one'], byProfile, ' --profile one'],
    [buys, {}, ''],
  ] as const) {
    const { exit, error } = await shop.asks(words, situation)
    expect({ exit, error }).toEqual({
      exit: 11,
      error: {
        code: 'duplicate',
        message: `the reference po-1 is already used by the order ${first.data.uid} (confirmed); nothing was sent`,
        field: 'reference',
        orderId: first.data.uid,
        fix: `orderctl get ${first.data.uid}${flags}`,
        advice: 'Use --idempotent to continue with that order, or --allow-duplicate to order again.',
        retryable: false,
      },
    })
  }
  expect(shop.bought()).toEqual([first.data.uid])
  expect(shop.sent('create')).toBe(1)
})

describe('an id that the journal knows only from another account', () => {
  const opened = async () => {
    const shop = await openWorld(overNetwork)
    await addProfile(shop, 'one', 'https://one.example')
    await addProfile(shop, 'two', 'https://two.example')
    const { data } = await shop.asks([...order, '--profile', 'one'], byProfile)
    expect((await shop.runIn(['profile', 'use', 'two'], byProfile)).exit).toBe(0)
    return { shop, id: String(data.id) }
  }
  const elsewhere = (id: string) =>
    `the order ${id} was placed with the profile one, at https://one.example, not with two, at https://two.example`

  test('is not confirmed, and the error names the profile', async () => {
    const { shop, id } = await opened()
    const refused = await shop.asks(['confirm', id, '--yes'], byProfile)
    expect(refused).toMatchObject({
      exit: 3,
      error: { message: `${elsewhere(id)}; nothing was sent`, fix: `orderctl confirm ${id} --profile one` },
    })
    expect(shop.sent('confirm')).toBe(0)
    expect((await shop.runIn(['confirm', id, '--profile', 'one'], byProfile)).exit).toBe(0)
    expect(shop.bought()).toEqual([id])
  })

  test('is not ordered again, and the error names the profile', async () => {
    const { shop, id } = await opened()
    // The account in use has an order with this id, too.
    for (const flags of [[], ['--missing']]) {
      const named = ` ${id}\n`
      const refused = await shop.asks(['create', '--again', named, ...flags, '--confirm'], byProfile)
      expect(refused).toMatchObject({
        exit: 3,
        error: {
          message: `${elsewhere(id)}; nothing was sent`,
          fix: `orderctl ${['create', '--again', id, ...flags, '--profile', 'one'].join(' ')}`,
        },
      })
    }
    expect({ created: shop.sent('create'), read: shop.sent('get') }).toEqual({ created: 1, read: 0 })
  })

  test.each([
    // It is not confirmed.
    ['is not ordered again', 11, (id: string) => ['create', '--again', id, '--confirm']],
    ['is confirmed', 0, (id: string) => ['confirm', id]],
  ])('%s with a warning if --profile names this account', async (_, code, words) => {
    const { shop, id } = await opened()
    const { exit, stderr } = await shop.runIn([...words(id), '--profile', 'two'], byProfile)
    expect(exit, stderr).toBe(code)
    expect(stderr).toContain(`warning: ${elsewhere(id)}; orderctl asks https://two.example now`)
  })

  test('is read with a warning, also beside the last order', async () => {
    const { shop, id } = await opened()
    await shop.runIn([...order.with(-1, 'two'), '--profile', 'two'], byProfile)
    const { stderr } = await shop.runIn(['get', '@last', id, '--profile', 'two'], byProfile)
    expect(stderr).toContain(`warning: ${elsewhere(id)}; orderctl asks https://two.example now`)
  })

  test('is not settled, and the error names the command, which works', async () => {
    const { shop, id } = await opened()
    shop.through(on('confirm', async () => respond(500, 'Server problem')))
    const inOne = ['--profile', 'one']
    expect((await shop.runIn(['confirm', id, ...inOne], byProfile)).exit).toBe(6)
    const settling = ['reconcile', id, '--settle', 'not-spent', '--reason', 'ticket']
    expect(await shop.asks(settling, byProfile)).toMatchObject({
      exit: 3,
      error: {
        message: `${elsewhere(id)}; nothing was sent`,
        fix: `orderctl reconcile ${id} --profile one`,
      },
    })
    expect(shop.journal("SELECT settled FROM calls WHERE operation = 'confirm'")).toEqual([{ settled: null }])
    expect((await shop.runIn([...settling, ...inOne], byProfile)).exit).toBe(0)
  })

  test('is not looked for in another journal entry: reconcile names the command, which works', async () => {
    const { shop, id } = await opened()
    const refused = await shop.asks(['reconcile', id], byProfile)
    expect(refused).toMatchObject({
      exit: 3,
      error: { message: `${elsewhere(id)}; nothing was sent`, fix: `orderctl reconcile ${id} --profile one` },
    })
    expect((await shop.runIn(['reconcile', id, '--profile', 'one'], byProfile)).exit).toBe(0)
  })

  test('is named with a profile that points to its account now', async () => {
    const { shop, id } = await opened()
    expect((await shop.runIn(['profile', 'remove', 'one'], byProfile)).exit).toBe(0)
    await addProfile(shop, 'uno', 'https://one.example')
    expect((await shop.asks(['confirm', id, '--yes'], byProfile)).error).toMatchObject({
      fix: `orderctl confirm ${id} --profile uno`,
    })
  })

  test.each(['get', 'watch', 'redeem'])('%s says which account it asks', async (command) => {
    const { shop, id } = await opened()
    await shop.runIn(['confirm', id, '--profile', 'one'], byProfile)
    await shop.runIn(['watch', id, '--profile', 'one'], byProfile)
    const { stderr } = await shop.runIn([command, id], byProfile)
    expect(stderr).toContain(
      `warning: ${elsewhere(id)}; orderctl asks https://two.example now. To ask the other account: orderctl ${command} ${id} --profile one\n`,
    )
  })
})

describe('a suggested command reaches the account that was chosen', () => {
  const opened = async (): Promise<World> => {
    const shop = await openWorld(overNetwork)
    await addProfile(shop, 'a', 'https://a.example')
    await addProfile(shop, 'b', 'https://b.example')
    expect((await shop.runIn(['profile', 'use', 'a'], byProfile)).exit).toBe(0)
    return shop
  }
  const inB = ['--profile', 'b']
  const wordsAfter = (text: string): string[] => (/orderctl ([^.\n]*)/.exec(text)?.[1] ?? '').split(' ')

  test('after a create', async () => {
    const shop = await opened()
    const { stderr } = await shop.runIn([...order, ...inB], { ...byProfile, terminals: ['stderr'] })
    const words = wordsAfter(stderr.slice(stderr.indexOf('Confirm it:')))
    expect(words).toEqual(['confirm', expect.any(String), ...inB])
    expect((await shop.runIn(words, byProfile)).exit).toBe(0)
  })

  test('after an unknown confirm, also if a variable chose it', async () => {
    for (const [words, env] of [
      [inB, {}],
      [[], { ORDERCTL_PROFILE: 'b' }],
    ] as const) {
      const shop = await opened()
      const { data } = await shop.asks([...order, ...inB], byProfile)
      let isConfirmed = false
      shop.through(async (request, service) => {
        isConfirmed ||= request.method === 'PUT'
        return isConfirmed ? respond(500, 'Server problem') : service(request)
      })
      const situation = { env: { ...byProfile.env, ...env } }
      const { exit, error } = await shop.asks(['confirm', String(data.id), '--yes', ...words], situation)
      expect({ exit, fix: error?.fix }).toEqual({
        exit: 6,
        fix: `orderctl reconcile ${data.id} --profile b`,
      })
      shop.through()
      const settled = await shop.asks(wordsAfter(error.fix), byProfile)
      expect(settled).toMatchObject({ exit: 6, data: [{ id: data.id }] })
    }
  })

  test('in the explanation of an order', async () => {
    const shop = await opened()
    const { data } = await shop.asks([...order, ...inB], byProfile)
    const { stdout } = await shop.runIn(['get', String(data.id), '--explain', ...inB], byProfile)
    expect(stdout).toContain(`Confirm it: orderctl confirm ${data.id} --profile b`)
  })

  test('in the next steps of a batch', async () => {
    const shop = await opened()
    const plan = ['batch', 'plan', '--product', 'GAME-US:25', '--wallet', 'USD', '--name', 'gifts', ...inB]
    const { stderr } = await shop.runIn(plan, byProfile)
    expect(stderr).toContain('Buy the batch: orderctl batch run gifts --profile b\n')
  })
})

describe('spellings of one address', () => {
  test('an open confirm is seen through another spelling, and not sent again', async () => {
    const shop = await openWorld(overNetwork)
    await addProfile(shop, 'shop', 'http://127.0.0.1:4010')
    const { data } = await shop.asks([...order, '--profile', 'shop'], byProfile)
    const id = String(data.id)
    shop.through(on('confirm', never))
    const confirming = shop.runIn(['confirm', id, '--profile', 'shop'], byProfile)
    while (shop.sent('confirm') === 0) await new Promise(setImmediate)
    // The process is gone before a response comes.
    shop.through()
    await addProfile(shop, 'shop', 'http://localhost:4010', '--replace')
    const { exit, error } = await shop.asks(['confirm', id, '--profile', 'shop'], byProfile)
    expect({ exit, error }).toMatchObject({
      exit: 6,
      error: {
        code: 'unknown',
        message:
          'the outcome of a confirm sent at 2026-03-01T12:00:00Z is unknown; no second confirm was sent',
        fix: `orderctl reconcile ${id} --profile shop`,
      },
    })
    expect((await shop.asks([...buys, '--profile', 'shop'], byProfile)).exit).toBe(11)
    expect(shop.sent('confirm')).toBe(1)
    void confirming
  })
})

describe('references', () => {
  test('that look alike are two, and said to be alike', async () => {
    const shop = await openWorld(overNetwork)
    const named = (reference: string) => [...buys.slice(0, -2), reference, '--confirm', '-q']
    expect((await shop.runIn(named('PO-1'))).exit).toBe(0)
    const { exit, stderr } = await shop.runIn(named('po-\u200b1'))
    expect(exit).toBe(0)
    expect(stderr).toMatch(/^warning: the reference .* looks like 'PO-1', which is already used$/m)
    expect(shop.bought()).toHaveLength(2)
    // An invisible character is shown as an escape.
    const again = await shop.runIn(named('pO-1'))
    expect(again.stderr).toContain(String.raw`looks like 'po-\u{200b}1', which is already used`)
  })
})

describe('two accounts', () => {
  test('at one address are declared; without the declaration, nothing is bought twice', async () => {
    const shop = await openWorld(overNetwork)
    const as = (name: string) => ({ env: { ORDERCTL_ACCOUNT: name } })
    expect((await shop.asks(buys, as('north'))).exit).toBe(0)
    expect((await shop.asks(buys, as('south'))).exit).toBe(0)
    expect(shop.bought()).toHaveLength(2)
    expect((await shop.asks(buys, as('north'))).exit).toBe(11)
    expect((await shop.asks(buys)).exit).toBe(11)
    expect(shop.bought()).toHaveLength(2)
  })

  test('at two addresses do not share references, and the orders of a moved profile stay with the old one', async () => {
    const shop = await openWorld(overNetwork)
    await addProfile(shop, 'shop', 'https://old.example')
    const first = await shop.asks([...buys, '--profile', 'shop'], byProfile)
    await addProfile(shop, 'shop', 'https://new.example', '--replace')
    const second = await shop.asks([...buys, '--profile', 'shop'], byProfile)
    expect(second).toMatchObject({ exit: 0, data: { state: 'confirmed' } })
    expect((await shop.asks(['reconcile', '--profile', 'shop'], byProfile)).data).toHaveLength(1)
    await addProfile(shop, 'shop', 'https://old.example', '--replace')
    expect(await shop.asks([...buys, '--profile', 'shop'], byProfile)).toMatchObject({
      exit: 11,
      error: { orderId: first.data.uid },
    })
    expect(shop.bought()).toEqual([first.data.uid, second.data.uid])
  })
})
