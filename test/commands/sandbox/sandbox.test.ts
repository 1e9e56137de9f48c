// What needs no account, three ways: the built-in service, what is printed without any, and where an order goes.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { openerFor, ways } from '../../support/customer.ts'
import { secretsOf } from '../../support/embedded.ts'

const line = { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }
const order = { productList: [line], wallet: 'USD', reference: 'from-the-file' }
const ok = (stdout: string, stderr = '') => ({ exit: 0, stdout, stderr })
const inSandbox = ['--profile', 'sandbox']

describe.each(ways)('%s', { concurrent: true, timeout: 30_000 }, (_name, way) => {
  const open = openerFor(way)

  describe('create without a service', () => {
    test('--dry-run prints the whole request, by the sandbox’s own types, and orders nothing', async () => {
      const { run, must, asked } = await open()
      const words = ['create', ...inSandbox, '--product', 'GAME-US:25x2', '--product', 'COFFEE-US:12.50']
      const more = [
        '--wallet',
        'USD',
        '--reference',
        'r',
        '--webhook-url',
        'https://hooks.example/x',
        '--dry-run',
      ]
      const { stdout, ...rest } = await run([...words, ...more])
      expect({ ...rest, document: JSON.parse(stdout) }).toEqual({
        exit: 0,
        stderr: 'The order is valid. Nothing was sent.\n',
        document: {
          productList: [line, { sku: 'COFFEE-US', productType: 'range', quote: 12.5, quantity: 1 }],
          wallet: 'USD',
          reference: 'r',
          webhookUrl: 'https://hooks.example/x',
        },
      })
      expect(JSON.parse(await must('sandbox', '--json')).orders).toEqual([])
      expect(await asked()).toBe('')
    })

    /** An account whose products are not known. Nothing is sent to it. */
    const elsewhere = { ORDERCTL_BASE_URL: 'https://orders.example' }

    test('reads --product from the right: a SKU may hold a colon, the type may be said', async () => {
      const { run } = await open()
      const words = [
        'create',
        '--product',
        'A:B:1.50x3/range',
        '--wallet',
        'USD',
        '--reference',
        'r',
        '--dry-run',
      ]
      const { stdout } = await run(words, { env: elsewhere })
      expect(JSON.parse(stdout).productList).toEqual([
        { sku: 'A:B', productType: 'range', quote: 1.5, quantity: 3 },
      ])
    })

    test('flags win over the file, field by field', async () => {
      const { must, file } = await open()
      const name = file(JSON.stringify({ $schema: 'order.schema.json', ...order }))
      const over = (...words: string[]) => must('create', name, '--dry-run', ...words).then(JSON.parse)
      expect(await over()).toEqual(order)
      expect(await over('--wallet', 'EUR')).toEqual({ ...order, wallet: 'EUR' })
      expect(await over('--reference', 'mine')).toEqual({ ...order, reference: 'mine' })
      expect(await over('--product', 'GAME-DE:20')).toEqual({
        ...order,
        productList: [{ sku: 'GAME-DE', productType: 'fixed', quote: 20, quantity: 1 }],
      })
    })

    test('keeps an amount exact, past what a double holds', async () => {
      const { run, file } = await open()
      const name = file(JSON.stringify(order).replace('"quote":25', '"quote":12345678901234567.12'))
      const { stdout } = await run(['create', name, '--dry-run'], { env: elsewhere })
      expect(stdout).toContain('"quote": 12345678901234567.12')
    })

    test('--skeleton is a file that its own schema and create accept', async () => {
      const { must, file } = await open()
      const skeleton = await must('create', '--skeleton')
      const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(
        JSON.parse(await must('create', '--schema')),
      )
      expect(isValid(JSON.parse(skeleton)), JSON.stringify(isValid.errors)).toBe(true)
      expect(isValid({ ...JSON.parse(skeleton), wallet: 'usd' })).toBe(false)
      expect(await must('create', file(skeleton), '-q')).toMatch(/^sbx_[a-z0-9]{16}\n$/)
    })
  })

  describe('the sandbox', () => {
    test('shows products, wallets and the newest orders', async () => {
      const { must, flags } = await open()
      const made = (await must('create', ...inSandbox, ...flags(['GAME-US:25']), '-q')).trim()
      const screen = await must('sandbox')
      expect(screen).toMatch(/^Products\nSKU /)
      expect(screen).toContain(`\n${made}  ref-1      ○ created  25.00 USD\n`)
      const document = JSON.parse(await must('sandbox', '--json'))
      expect(document.orders).toMatchObject([{ id: made, reference: 'ref-1', state: 'created', total: 25 }])
      expect(document.wallets[0]).toEqual({ currency: 'AUD', opening: 10, balance: 10 })
      expect(document.products[0]).toMatchObject({ sku: 'GAME-US', quote: 25 })
    })

    test('takes the money that an order costs; reset gives it back and forgets the order', async () => {
      const { must, does, run, flags } = await open()
      const dollars = async () =>
        JSON.parse(await must('sandbox', '--json')).wallets.find(
          ({ currency }: { currency: string }) => currency === 'USD',
        )
      const words = ['create', ...inSandbox, ...flags(['GAME-US:25x2']), '--confirm', '-q']
      const confirmed = (await must(...words)).trim()
      expect(await dollars()).toEqual({ currency: 'USD', opening: 1_000_000, balance: 999_950 })
      expect((await run(['get', confirmed, ...inSandbox, '-q'])).exit).toBe(0)
      expect(await does('sandbox', 'reset')).toEqual(ok('The sandbox was reset.\n'))
      expect(await dollars()).toEqual({ currency: 'USD', opening: 1_000_000, balance: 1_000_000 })
      expect((await run(['get', confirmed, ...inSandbox, '-q'])).exit).toBe(3)
    })

    test('advance prints the new time', async () => {
      const { does } = await open()
      expect(await does('sandbox', 'advance', '11m')).toEqual(
        ok("The sandbox's clock is now at an ISO time.\n"),
      )
    })

    test('answers in JSON where it is told to', async () => {
      const { must } = await open()
      expect(JSON.parse(await must('sandbox', 'reset', '--json'))).toEqual({ reset: true })
      expect(JSON.parse(await must('sandbox', 'advance', '11m', '--json'))).toEqual({
        now: expect.stringMatching(/Z$/),
        clockOffsetMs: 660_000,
      })
    })
  })

  test('order ids and codes can be told from real ones, and the codes are masked until --reveal', async () => {
    const { ended, must, calls } = await open()
    const order = await ended('GAME-US:25', 'GAME-BR:50')
    expect(order).toMatch(/^sbx_[a-z0-9]{16}$/)
    const codes = secretsOf((await calls.get(order)).data.redeem).filter((text) => /[A-Z]{4}-/.test(text))
    expect(codes.filter((code) => !code.includes('SANDBOX-'))).toEqual([])
    const all = [['get'], ['get', '--json'], ['get', '--explain'], ['redeem'], ['redeem', '--json']]
    for (const [command = '', ...flags] of [
      ...all,
      ['redeem', '--only', 'code'],
      ['redeem', '--only', 'link'],
    ])
      expect(await must(command, order, ...flags)).not.toContain('SANDBOX')
    expect(await must('redeem', order, '--only', 'code', '--reveal')).toBe(`${codes[1]}\n`)
  })

  test('where it acts is said on stderr by what spends', async () => {
    const { created, environment, run, flags } = await open()
    const address = environment.ORDERCTL_BASE_URL
    const said =
      address === undefined ? 'Using the sandbox: no real money\n' : `Using the environment: ${address}\n`
    const firstLineOf = async (...words: string[]) => `${(await run(words)).stderr.split('\n')[0]}\n`
    expect(await firstLineOf('create', ...flags(['GAME-US:25']))).toBe(said)
    expect(await firstLineOf('confirm', await created('GAME-US:25'), '--allow-duplicate')).toBe(said)
    expect(await firstLineOf('create', ...inSandbox, ...flags(['GAME-US:25']), '--allow-duplicate')).toBe(
      'Using the sandbox: no real money\n',
    )
  })
})
