// Profiles three ways: kept, shown, chosen, tried; and a key that nobody ever sees.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  byExecutable,
  type Customer,
  customer,
  openerFor,
  overSocket,
  type Way,
  ways,
} from '../support/customer.ts'
import { apiKey, secretsOf } from '../support/embedded.ts'

const canary = 'canary-key-0123456789'
const url = 'https://orders.example.com'

/** A customer whose profiles are kept in the home, and how to run orderctl with them alone. */
const atHome = (found: Customer) => {
  const config = path.join(found.home, 'config')
  const apart = { ORDERCTL_CONFIG_DIR: config, ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
  const run = (words: readonly string[], env: Record<string, string> = {}, input?: string) =>
    found.run(words, { env: { ...apart, ...env }, ...(input === undefined ? {} : { input }) })
  const add = (name: string, ...more: string[]) =>
    run(['profile', 'add', name, '--base-url', url, '--key-stdin', '--json', ...more], {}, `${canary}\n`)
  const json = async (...words: string[]) => JSON.parse((await run([...words, '--json'])).stdout)
  return { ...found, config, run, add, json }
}

const row = (fields: object = {}) => ({
  name: 'shop',
  current: false,
  builtIn: false,
  baseUrl: url,
  auth: 'bearer',
  credential: 'key, kept here',
  ...fields,
})
const sandboxRow = (current: boolean) => ({
  name: 'sandbox',
  current,
  builtIn: true,
  credential: 'none needed',
})
const usage = (message: string) => ({
  exit: 2,
  stdout: '',
  stderr: expect.stringMatching(`^error: ${message}\n`) as unknown as string,
})

describe.each(ways)('profile %s', { concurrent: true, timeout: 30_000 }, (_name, way) => {
  const open = openerFor(way)

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
      sandboxRow(false),
      row({ current: true, wallet: 'EUR' }),
      row({ name: 'by-file', auth }),
      row({ name: 'by-command', auth, credential: 'command, run when needed' }),
    ])
    const { stdout } = await run(['profile', 'list'])
    expect(stdout).toMatch(/^USED {2}PROFILE {2,}ADDRESS /)
    expect(stdout).not.toContain(canary)
  })

  test('use, show and remove go by the name; sandbox is the first and the last', async () => {
    const { add, run, json } = atHome(await open())
    expect(await json('profile', 'show')).toEqual(sandboxRow(true))
    await add('shop')
    expect(await json('profile', 'show', 'shop')).toEqual(row())
    expect(await run(['profile', 'use', 'shop'])).toEqual({
      exit: 0,
      stdout: '',
      stderr: 'profile shop is used from now on\n',
    })
    expect(await json('profile', 'show')).toEqual(row({ current: true }))
    expect(await run(['profile', 'remove', 'shop'])).toEqual({
      exit: 0,
      stdout: '',
      stderr: 'profile shop is removed; sandbox is used from now on\n',
    })
    expect(await json('profile', 'list')).toEqual([sandboxRow(true)])
  })

  test('a second one of a name needs --replace', async () => {
    const { add, json } = atHome(await open())
    await add('shop')
    expect(await add('shop', '--wallet', 'EUR')).toMatchObject({ exit: 2, stdout: '' })
    expect(await json('profile', 'show', 'shop')).toEqual(row())
    expect(await add('shop', '--wallet', 'EUR', '--replace')).toMatchObject({ exit: 0 })
    expect(await json('profile', 'show', 'shop')).toEqual(row({ wallet: 'EUR' }))
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
    [
      'key.txt',
      canary,
      'the product file \\S+/key.txt is not valid JSON: a value expected at line 1, column 1',
    ],
    ['key.json', `{"${canary}":1,"${canary}":2}`, 'the product file \\S+ has a key twice in one object, .*'],
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
    ['.', '', '\\S+ is not a file'],
    ['nothing.json', '', 'cannot read the products from \\S+/nothing.json: no such file or directory'],
  ])(
    'add --products %s is refused before a key is asked for, and shows nothing of it',
    async (name, text, message) => {
      const { run, json, file } = atHome(await open())
      if (text !== '') file(text, name)
      const words = ['profile', 'add', 'shop', '--base-url', url, '--key-stdin', '--products', name]
      const ran = await run(words, {}, 'not read')
      expect(ran).toEqual(usage(message))
      expect(ran.stderr).not.toContain(canary)
      expect(await json('profile', 'list')).toEqual([sandboxRow(true)])
    },
  )

  test.each([
    [['show', 'nobody'], 'there is no profile "?nobody"?'],
    [['use', 'nobody'], 'there is no profile "?nobody"?'],
    [['remove', 'nobody'], 'there is no profile "?nobody"?'],
    [['remove', 'sandbox'], '.*sandbox.*'],
    [['add', 'shop'], '--base-url is missing'],
    [['add', 'shop', '--base-url', url], '--key-stdin, --key-file or --credential-command is missing'],
    [
      ['add', 'sandbox', '--base-url', url, '--key-stdin'],
      'the profile is not valid\n {2}name is "sandbox"; .*',
    ],
    [
      ['add', 'shop', '--base-url', 'http://far.example', '--key-stdin'],
      'the profile is not valid\n {2}baseUrl is .*',
    ],
    [
      ['add', 'shop', '--base-url', url, '--auth', 'magic', '--key-stdin'],
      'the profile is not valid\n {2}auth is "magic"; .*',
    ],
    [
      ['add', 'shop', '--base-url', url, '--key-stdin', '--key-file', 'x'],
      'the key comes from one place: .*',
    ],
  ])('%j is wrong usage', async (words, message) => {
    const { run } = atHome(await open())
    expect(await run(['profile', ...words], {}, canary)).toEqual(usage(message))
  })

  test('test makes one harmless call to the account in use, and says what came of it', async () => {
    const { does, run, environment, asked } = await open()
    expect(await does('profile', 'test')).toEqual({
      exit: 0,
      stdout:
        'ok: the address answers, and the key was not refused (404 Not Found, for an order that nobody has)\n',
      stderr: 'where it acts\n',
    })
    expect(JSON.parse((await run(['profile', 'test', '--json'])).stdout)).toEqual({
      profile: environment.ORDERCTL_BASE_URL === undefined ? 'sandbox' : 'environment',
      address: 'answers',
      credentials: 'not refused',
      answer: '404 Not Found',
    })
    // What a service in a file was asked is not kept.
    expect(await asked()).toBe(environment.ORDERCTL_BASE_URL === undefined ? '' : 'get get')
  })

  test('a file of profiles that is spoilt is refused, and left as it is', async () => {
    const { run, add, config } = atHome(await open())
    mkdirSync(config, { mode: 0o700 })
    const file = path.join(config, 'profiles.json')
    const spoilt = `{"profiles":[{"name":"shop","credential":{"kind":"key","key":"${canary}"`
    writeFileSync(file, spoilt, { mode: 0o600 })
    const all = await Promise.all([
      run(['profile', 'list']),
      run(['profile', 'use', 'shop']),
      run(['get', 'o']),
      run(['create', '--product', 'GAME-US:25', '--wallet', 'USD']),
      add('other'),
    ])
    expect(all.map(({ exit, stdout }) => ({ exit, stdout }))).toEqual(
      all.map(() => ({ exit: 9, stdout: '' })),
    )
    expect(all.filter(({ stderr }) => stderr.includes(canary))).toEqual([])
    expect(readFileSync(file, 'utf8')).toBe(spoilt)
  })
})

const overTheSocket = ways.filter(([, { counter }]) => counter !== undefined)

describe.each(overTheSocket)('an account %s', { concurrent: true, timeout: 30_000 }, (_name, way) => {
  const open = openerFor(way)

  test('test says that address and key work', async () => {
    const { run, environment } = atHome(await open())
    const { ORDERCTL_BASE_URL: address = '' } = environment
    await run(['profile', 'add', 'shop', '--base-url', address, '--credential-command', `printf ${apiKey}`])
    expect(await run(['profile', 'test', 'shop'])).toEqual({
      exit: 0,
      stdout:
        'ok: the address answers, and the key was not refused (404 Not Found, for an order that nobody has)\n',
      stderr: `profile shop: ${address}\n`,
    })
    expect(JSON.parse((await run(['profile', 'test', 'shop', '--json'])).stdout)).toEqual({
      profile: 'shop',
      address: 'answers',
      credentials: 'not refused',
      answer: '404 Not Found',
    })
  })

  test('test ends with 4 where the key is refused, and with 5 where nobody answers', async () => {
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

  test('ORDERCTL_* stand above the profile in use; half an account is refused', async () => {
    const { add, run, environment } = atHome(await open())
    await add('shop', '--use')
    const { ORDERCTL_BASE_URL: address = '' } = environment
    const whole = { ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: apiKey }
    expect((await run(['profile', 'test'], whole)).stderr).toBe(`profile environment: ${address}\n`)
    expect((await run(['get', 'o', '-q'], { ...whole, ORDERCTL_AUTH: 'magic' })).exit).toBe(2)
    expect((await run(['get', 'o'], { ORDERCTL_API_KEY: canary })).exit).toBe(2)
    expect((await run(['get', 'o'], { ORDERCTL_BASE_URL: address, ORDERCTL_API_KEY: '' })).exit).toBe(4)
    const sandboxed = { ORDERCTL_PROFILE: 'sandbox' }
    expect(await run(['profile', 'test'], sandboxed)).toMatchObject({
      exit: 0,
      stderr: 'profile sandbox: SANDBOX, no money moves\n',
    })
  })
})

describe('neither key nor code is seen until --reveal', () => {
  test('whatever is run', { timeout: 30_000 }, () => leakless(overSocket, 1))
  test('by the built executable', { timeout: 30_000 }, () => leakless(byExecutable, 4))
})

/** Runs every so many-th of the ways in which a key or a code could get out. */
const leakless = async (way: Way, each: number): Promise<void> => {
  const shop = await customer(way)
  const order = await shop.ended('GAME-US:25', 'COFFEE-US:10')
  const codes = secretsOf((await shop.calls.get(order)).data.redeem)
  expect(codes.length).toBeGreaterThan(4)
  const address = shop.environment.ORDERCTL_BASE_URL ?? ''
  // The key is wrong in the second half: what is refused must not say it either.
  const all: [string[], Record<string, string>?][] = [
    [['get', order]],
    [['get', order, '--json']],
    [['get', order, '--debug']],
    [['get', order, '--explain']],
    [['get', order, order, '--json', '--debug']],
    [['get', order, '--json', '--fields', 'redeem']],
    [['redeem', order]],
    [['redeem', order, '--json']],
    [['redeem', order, '--debug']],
    [['redeem', order, '--only', 'code']],
    [['redeem', order, '--only', 'pin']],
    [['redeem', order, '--only', 'link']],
    [['watch', order, '--debug']],
    [['watch', order, '--json', '--debug']],
    [['confirm', order, '--debug']],
    [['confirm', order, '--idempotent', '--json', '--debug']],
    [['create', '--product', 'GAME-US:1', '--wallet', 'USD', '--debug']],
    [['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--watch', '--debug']],
    [['profile', 'test', '--debug']],
    [['get', order, '--debug'], { ORDERCTL_API_KEY: canary }],
    [['get', order, '--json'], { ORDERCTL_API_KEY: canary, ORDERCTL_AUTH: 'query:key' }],
    [['get', order, '--debug'], { ORDERCTL_API_KEY: canary, ORDERCTL_AUTH: 'basic' }],
    [['get', order], { ORDERCTL_API_KEY: `${canary}\nX: y` }],
    [['get', order], { ORDERCTL_BASE_URL: address.replace('//', `//user:${canary}@`) }],
    [['profile', 'test', '--debug'], { ORDERCTL_API_KEY: canary, ORDERCTL_AUTH: 'header:X-Key' }],
  ]
  const tried = all.filter((_, index) => index % each === 0)
  const secrets = [apiKey, canary, Buffer.from(canary).toString('base64'), ...codes]
  const leaks: unknown[] = []
  let running = 0
  const work = async (): Promise<void> => {
    for (let next = tried[running++]; next !== undefined; next = tried[running++]) {
      const [words, env = {}] = next
      const { exit, stdout, stderr } = await shop.run(words, { env })
      const said = stdout + stderr
      const seen = secrets.filter((each) => said.includes(each))
      if (seen.length > 0 || said === '' || exit === 1) leaks.push({ words, exit, seen, said })
    }
  }
  await Promise.all([work(), work(), work()])
  expect(leaks).toEqual([])
  expect(await shop.must('redeem', order, '--reveal', '--json')).toContain(codes[0])
}
