// Profiles: kept, shown, chosen, tried; and a key that nobody ever sees.
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { apiKey } from '../../support/embedded.ts'
import { openerFor, openWorld, overSocket, type World } from '../../support/world.ts'

const canary = 'canary-key-0123456789'
const url = 'https://orders.example.com'

/** A customer whose profiles are kept in the home, and how to run orderctl with them alone. */
const atHome = (found: World) => {
  const config = path.join(found.home, 'config')
  const apart = { ORDERCTL_CONFIG_DIR: config, ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
  const run = (words: readonly string[], env: Record<string, string> = {}, input?: string) =>
    found.run(words, { env: { ...apart, ...env }, ...(input === undefined ? {} : { input }) })
  const add = (name: string, ...more: string[]) =>
    run(['profile', 'add', name, '--base-url', url, '--key-stdin', '--json', ...more], {}, `${canary}\n`)
  const json = async (...words: string[]) => JSON.parse((await run([...words, '--json'])).stdout)
  return { ...found, config, run, add, json }
}

const absent = {
  ...{ baseUrl: null, account: null, auth: null, wallet: null, products: null },
  ...{ keyStore: null, selectedBy: null, journal: null, journalCredential: null, assistants: null },
}
const row = (fields: object = {}) => ({
  ...absent,
  name: 'shop',
  current: false,
  builtIn: false,
  baseUrl: url,
  auth: 'bearer',
  credential: 'key, in profiles.json',
  keyStore: 'file',
  ...fields,
})
const used = (selectedBy = 'profile use') => ({ current: true, selectedBy })
const sandboxRow = (fields: object = {}) => ({
  ...absent,
  name: 'sandbox',
  current: false,
  builtIn: true,
  credential: 'none needed',
  ...fields,
})
const usage = (message: string) => ({
  exit: 2,
  stdout: '',
  stderr: expect.stringMatching(`^error: ${message}\n`) as unknown as string,
})

describe('profile', { concurrent: true }, () => {
  const open = openerFor(overSocket)

  test('add keeps a key from standard input, a file, or what a command prints; none is shown', async () => {
    const { add, run, json, file } = atHome(await open())
    const first = await add('shop', '--wallet', 'EUR', '--use')
    expect({ ...first, stdout: JSON.parse(first.stdout) }).toEqual({
      exit: 0,
      stdout: row({ current: true, wallet: 'EUR' }),
      stderr: '',
    })
    const rest = ['--base-url', url, '--auth', 'header:X-Api-Key']
    await run(['profile', 'add', 'by-file', ...rest, '--key-file', file(canary, 'key.txt')])
    await run(['profile', 'add', 'by-command', ...rest, '--credential-command', `printf ${canary}`])
    const auth = 'header:X-Api-Key'
    expect(await json('profile', 'list')).toEqual([
      sandboxRow(),
      row({ ...used(), wallet: 'EUR' }),
      row({ name: 'by-file', auth }),
      row({ name: 'by-command', auth, credential: 'command, run when needed', keyStore: null }),
    ])
    const { stdout } = await run(['profile', 'list'])
    expect(stdout).toMatch(/^USED {2}PROFILE {2,}ADDRESS /)
    expect(stdout).not.toContain(canary)
  })

  test('use, show and remove go by the name; none is in use until one is asked for', async () => {
    const { add, run, json } = atHome(await open())
    const said = (stderr: string, stdout = '') => ({ exit: 0, stdout, stderr })
    const none = (way: string) =>
      `No profile is in use. To use one: ${way}\nTo use the sandbox: orderctl profile use sandbox\n`
    const toShop = 'orderctl profile use shop'
    const toNew = 'orderctl profile add --use'
    expect(await json('profile', 'show')).toEqual(sandboxRow(used('default')))
    await add('shop')
    expect(await json('profile', 'show', 'shop')).toEqual(row())
    expect(await json('profile', 'show')).toBeNull()
    expect(await run(['profile', 'show'])).toEqual(said(none(toShop)))
    expect(await json('profile', 'list')).toEqual([sandboxRow(), row()])
    expect((await run(['profile', 'list'])).stderr).toBe(none(toShop))
    expect(await run(['profile', 'use', 'shop'])).toEqual(said('The profile shop is now in use\n'))
    expect(await json('profile', 'show')).toEqual(row(used()))
    expect(await run(['profile', 'use', 'sandbox'])).toEqual(said('The profile sandbox is now in use\n'))
    expect(await json('profile', 'show')).toEqual(sandboxRow(used()))
    await run(['profile', 'use', 'shop'])
    expect(await run(['profile', 'remove', 'shop'])).toEqual(
      said(`The profile shop was removed\n${none(toNew)}`),
    )
    expect(await json('profile', 'list')).toEqual([sandboxRow()])
  })

  test('add says how to use the profile, unless it is in use', async () => {
    const { run } = atHome(await open())
    const add = async (...words: string[]) => {
      const key = ['--base-url', url, '--key-stdin']
      return (await run(['profile', 'add', ...words, ...key], {}, canary)).stderr
    }
    const use = (name: string) => `. To use this one: orderctl profile use ${name}\n`
    expect(await add('one')).toBe(`No profile is in use${use('one')}`)
    expect(await add('two', '--use')).toBe('')
    expect(await add('two', '--replace')).toBe('')
    expect(await add('one', '--replace')).toBe(`The profile two stays in use${use('one')}`)
  })

  test('without one in use, no order falls to the sandbox, and what needs no account works', async () => {
    const { add, run, home, config, atTerminal } = atHome(await open())
    await add('shop')
    const refused = {
      exit: 4,
      stdout: '',
      stderr:
        'error: no profile is in use. Profiles: sandbox, shop\n' +
        'try: orderctl profile use shop\nTo use the sandbox: orderctl profile use sandbox\n',
    }
    const words = ['--product', 'GAME-US:25', '--wallet', 'USD']
    const all = [
      ['create', ...words, '--confirm'],
      ['create', ...words, '--dry-run'],
      ['get', 'o'],
    ]
    for (const each of [...all, ['confirm', 'o'], ['watch', 'o'], ['reconcile'], ['profile', 'test']])
      expect(await run(each), each.join(' ')).toEqual(refused)
    expect(JSON.parse((await run(['get', 'o', '--json'])).stderr).error.code).toBe('credentials')
    const free = [['list'], ['help', 'create'], ['create', '--skeleton'], ['sandbox'], ['profile', 'list']]
    for (const each of [...free, ['completion', 'bash'], ['__complete', '--', 'create', '']])
      expect((await run(each)).exit, each.join(' ')).toBe(0)
    const env = {
      ORDERCTL_CONFIG_DIR: config,
      ORDERCTL_BASE_URL: undefined,
      ORDERCTL_API_KEY: undefined,
    }
    const { exit, questions, stderr } = await atTerminal(['create'], { env })
    expect({ exit, questions, stderr }).toEqual({ exit: 4, questions: [], stderr: refused.stderr })
    expect(existsSync(path.join(home, 'state', 'journal.db'))).toBe(false)
    for (const how of [['--profile', 'sandbox'], []]) {
      const env: Record<string, string> = how.length > 0 ? {} : { ORDERCTL_PROFILE: 'sandbox' }
      expect((await run(['create', ...words, '-q', ...how], env)).stdout).toMatch(/^sbx_/)
    }
    await run(['profile', 'use', 'sandbox'])
    expect((await run(['create', ...words, '-q'])).exit).toBe(0)
    // A removed profile leaves none in use, not the sandbox.
    await run(['profile', 'use', 'shop'])
    await run(['profile', 'remove', 'shop'])
    expect(await run(['create', ...words])).toMatchObject({ exit: 4, stdout: '' })
  })

  test('add --account is kept, shown, and checked', async () => {
    const { add, run, json } = atHome(await open())
    expect(JSON.parse((await add('eu', '--account', 'eu')).stdout)).toEqual(
      row({ name: 'eu', account: 'eu' }),
    )
    await add('shop')
    expect(await json('profile', 'list')).toEqual([sandboxRow(), row({ name: 'eu', account: 'eu' }), row()])
    const columns = { COLUMNS: '120' }
    expect((await run(['profile', 'list'], columns)).stdout).toMatch(
      /^USED {2}PROFILE {2}ADDRESS +ACCOUNT {2}AUTH +WALLET +CREDENTIAL\n.*\n.*\n +eu +\S+ +eu +bearer/,
    )
    expect((await run(['profile', 'show', 'eu'])).stdout).toMatch(/^Account +eu$/m)
    const words = await run(['__complete', '--', 'profile', 'add', 'x', '--account', ''])
    expect(words.stdout).toContain('eu\taccount of the profile eu\n')
    await add('eu', '--replace')
    expect(await json('profile', 'show', 'eu')).toEqual(row({ name: 'eu' }))
  })

  test('add --replace names the settings that the profile loses', async () => {
    const { add } = atHome(await open())
    const stderr = async (...flags: string[]) => (await add('shop', ...flags)).stderr
    expect(await stderr('--account', 'eu', '--auth', 'header:X-Key', '--wallet', 'EUR')).toBe('')
    expect(await stderr('--replace', '--account', 'eu', '--wallet', 'USD')).toBe(
      '{"warnings":["the profile shop no longer has --auth header:X-Key. To set it again: orderctl profile set shop --auth header:X-Key"]}\n',
    )
    const all = ['--replace', '--account', 'eu', '--wallet', 'USD']
    expect(await stderr(...all, '--auth', 'header:X-Key')).toBe('')
    expect(await stderr(...all, '--auth', 'bearer')).toBe('')
    expect(await stderr('--replace')).toBe(
      '{"warnings":["the profile shop no longer has --account eu --wallet USD. To set it again: orderctl profile set shop --account eu --wallet USD"]}\n',
    )
    expect(await stderr('--replace')).toBe('')
  })

  test('add --products keeps where the file is, and show says what is in it now', async () => {
    const { add, run, json, file, home } = atHome(await open())
    const sold = (...skus: string[]) =>
      file(
        JSON.stringify({
          products: skus.map((sku) => ({ sku, productType: 'fixed', currency: 'USD', quote: 25 })),
        }),
        'sold.json',
      )
    const products = path.join(home, sold('A'))
    expect(JSON.parse((await add('shop', '--products', 'sold.json')).stdout)).toEqual(row({ products }))
    expect(await json('profile', 'show', 'shop')).toEqual(row({ products }))
    const shown = async () =>
      /^Products +(.*)$/m.exec((await run(['profile', 'show', 'shop'])).stdout)?.[1]?.replace(home, '')
    expect(await shown()).toBe('1 product in /sold.json')
    sold('A', 'B')
    expect(await shown()).toBe('2 products in /sold.json')
    rmSync(products)
    expect(await shown()).toBe('cannot read the products from /sold.json: no such file or directory')
    expect(await add('shop', '--replace')).toMatchObject({ exit: 0 })
    expect(await json('profile', 'show', 'shop')).toEqual(row())
    expect(await shown()).toBeUndefined()
  })

  test.each([
    ['key.txt', canary, 'the product file \\S+/key.txt is not valid JSON: .*'],
    [
      'key.json',
      `{"${canary}":1,"${canary}":2}`,
      'the product file \\S+ contains a key twice in one object, .*',
    ],
    [
      'more.json',
      `{"products":[{"sku":"A","quote":"${canary}"}],"apiKey":"${canary}"}`,
      [
        'the product file \\S+/more.json is not valid',
        ' {2}products\\[0\\].productType is missing; allowed: fixed or range',
        ' {2}products\\[0\\].currency is missing; allowed: a currency code such as USD',
        ' {2}products\\[0\\].quote is wrong; allowed: a number above 0, .*',
        ' {2}apiKey is wrong; allowed: only the fields products, wallets, rates',
      ].join('\n'),
    ],
    ['none.json', '{"products":[]}', '.*\n {2}products is wrong; allowed: at least one product'],
  ])(
    'add --products %s is refused before a key is asked for, and shows nothing of it',
    async (name, text, message) => {
      const { run, json, file } = atHome(await open())
      if (text !== '') file(text, name)
      const words = ['profile', 'add', 'shop', '--base-url', url, '--key-stdin', '--products', name]
      const ran = await run(words, {}, 'not read')
      expect(ran).toEqual(usage(message))
      expect(ran.stderr).not.toContain(canary)
      expect(await json('profile', 'list')).toEqual([sandboxRow(used('default'))])
    },
  )
})

describe('an account', { concurrent: true }, () => {
  const open = openerFor(overSocket)

  test('test makes one harmless call, and says that address and key work', async () => {
    const { run, environment, asked } = atHome(await open())
    const { ORDERCTL_BASE_URL: address = '' } = environment
    await run(['profile', 'add', 'shop', '--base-url', address, '--credential-command', `printf ${apiKey}`])
    expect(await run(['profile', 'test', 'shop'])).toEqual({
      exit: 0,
      stdout:
        'ok: the service responds and did not refuse the key (404 Not Found, for an order that does not exist)\n',
      stderr: `Using the profile shop: ${address}\n`,
    })
    expect(JSON.parse((await run(['profile', 'test', 'shop', '--json'])).stdout)).toEqual({
      profile: 'shop',
      address: 'responds',
      credentials: 'not refused',
      response: '404 Not Found',
    })
    expect(await asked()).toBe('get get')
  })

  test('test ends with 4 where the key is refused, and with 5 where nobody responds', async () => {
    const { run, environment } = atHome(await open())
    const { ORDERCTL_BASE_URL: address = '' } = environment
    await run(['profile', 'add', 'wrong', '--base-url', address, '--key-stdin'], {}, canary)
    await run(['profile', 'add', 'nowhere', '--base-url', 'http://127.0.0.1:9', '--key-stdin'], {}, canary)
    const [wrong, nowhere] = await Promise.all([
      run(['profile', 'test', 'wrong']),
      run(['profile', 'test', 'nowhere']),
    ])
    expect([wrong.exit, nowhere.exit]).toEqual([4, 5])
    expect([wrong, nowhere].map(({ stdout, stderr }) => (stdout + stderr).includes(canary))).toEqual([
      false,
      false,
    ])
  })

  test('the journal of a real account keeps orders from the sandbox if the profiles are gone', async () => {
    const { run, config, environment, flags, asked } = atHome(await open())
    const { ORDERCTL_BASE_URL: address = '' } = environment
    await run(['profile', 'add', 'shop', '--base-url', address, '--key-stdin', '--use'], {}, apiKey)
    const order = (await run(['create', ...flags(['GAME-US:25']), '-q'])).stdout.trim()
    rmSync(config, { recursive: true })
    const refused = {
      exit: 4,
      stdout: '',
      stderr:
        'error: no profile is saved, but the journal has orders of a real account\n' +
        'try: orderctl profile add --use\n' +
        'You can also set ORDERCTL_BASE_URL. To use the sandbox: orderctl profile use sandbox\n',
    }
    const more = ['--allow-duplicate', '--confirm']
    for (const words of [['create', ...flags(['GAME-US:25']), ...more], ['get', order], ['reconcile']])
      expect(await run(words)).toEqual(refused)
    expect(await asked()).toBe('create')
    expect((await run(['list', '-q'])).stdout).toBe(`${order}\n`)
    expect(JSON.parse((await run(['profile', 'list', '--json'])).stdout)).toEqual([sandboxRow()])
    expect((await run(['__complete', '--', 'create', '--product', ''])).stdout).not.toContain('GAME-US')
    const named = ['create', ...flags(['GAME-US:25']), '-q', '--profile', 'sandbox']
    expect((await run(named)).exit).toBe(0)
    expect((await run(named.slice(0, -2), { ORDERCTL_PROFILE: 'sandbox' })).exit).not.toBe(4)
    const whole = { ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: apiKey }
    expect((await run(['get', order], whole)).exit).toBe(0)
    await run(['profile', 'use', 'sandbox'])
    expect((await run(['get', order])).exit).toBe(3)
  })

  test('an order that was only read leaves the sandbox the default', async () => {
    const { run, environment, confirmed, advance, flags } = atHome(await open())
    const order = await confirmed('GAME-US:25')
    await advance('5s')
    const buys = ['create', ...flags(['GAME-US:25']), '--allow-duplicate']
    for (const _ of ['before', 'after']) {
      expect((await run(buys)).exit).toBe(0)
      expect((await run(['get', order], environment)).exit).toBe(0)
    }
  })
})

test('list --refresh sends each account its own key, not the one of the environment', async () => {
  const [one, other] = [await openWorld(overSocket), await openWorld(overSocket)]
  const { run } = atHome(one)
  for (const [name, shop] of [['one', one] as const, ['other', other] as const]) {
    const address = ['--base-url', shop.environment.ORDERCTL_BASE_URL ?? '']
    await run(['profile', 'add', name, ...address, '--key-stdin'], {}, apiKey)
    const order = ['create', ...shop.flags(['GAME-US:25']), '-q', '--profile', name]
    expect((await run(order)).exit).toBe(0)
  }
  const sent: Record<string, unknown>[] = []
  for (const shop of [one, other]) {
    shop.arrived.on('get', ({ headers }) => sent.push({ isOne: shop === one, key: headers.authorization }))
  }
  const env = { ORDERCTL_PROFILE: 'one', ORDERCTL_API_KEY: canary }
  const { exit, stderr } = await run(['list', '--refresh', '-q'], env)
  expect(sent).toEqual([
    { isOne: false, key: `Bearer ${apiKey}` },
    { isOne: true, key: `Bearer ${canary}` },
  ])
  expect({ exit, warnings: stderr.match(/instead of the key of the profile \w+/g) }).toEqual({
    exit: 4,
    warnings: ['instead of the key of the profile one'],
  })
})
