// create refuses a product that the account does not sell before it sends anything, and names the one that was meant.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { openWorld, overSocket } from '../../support/world.ts'

const flags = (...products: string[]): string[] => [
  ...products.flatMap((product) => ['--product', product]),
  ...['--wallet', 'USD', '--reference', 'r'],
]

const refusal = (violations: readonly string[], then: string) => ({
  exit: 2,
  stdout: '',
  stderr: `error: the order is not valid; nothing was sent\n${violations.map((each) => `  ${each}\n`).join('')}${then}\n`,
})

describe('in the sandbox', () => {
  const then = 'try: orderctl sandbox'

  test.each([
    ['GAMEUS:25', 'sku is "GAMEUS"; allowed: a SKU of the sandbox (did you mean GAME-US?)'],
    ['game-us:25', 'sku is "game-us"; allowed: a SKU of the sandbox (did you mean GAME-US?)'],
    [
      'MUSIC-XX:5',
      'sku is "MUSIC-XX"; allowed: a SKU of the sandbox (did you mean MUSIC-US or MUSIC-FR or MUSIC-KW?)',
    ],
    ['NOBODY:1', 'sku is "NOBODY"; allowed: a SKU of the sandbox'],
    ['GAME-US:25/fixd', 'productType is "fixd"; allowed: fixed for GAME-US'],
    ['COFFEE-US:20/fixed', 'productType is "fixed"; allowed: range for COFFEE-US'],
    ['GAME-US:26', 'quote is 26; allowed: 25 USD for GAME-US'],
    ['COFFEE-US:101', 'quote is 101; allowed: 5 to 100 USD for COFFEE-US'],
    [
      'RIDE-JP:1000.5',
      'quote is 1000.5; allowed: 500 to 10,000 JPY with at most 0 decimal places for RIDE-JP',
    ],
  ])('%s', async (product, problem) => {
    const shop = await openWorld()
    const expected = refusal([`--product ${product}, ${problem}`], then)
    expect(await shop.run(['create', ...flags(product)])).toEqual(expected)
    expect(await shop.run(['create', ...flags(product), '--dry-run'])).toEqual(expected)
    expect(await shop.asked()).toBe('')
  })

  test('all mistakes are named at once, each with its path', async () => {
    const shop = await openWorld()
    const file = shop.file(
      JSON.stringify({
        productList: [
          { sku: 'GAMEUS', productType: 'fixed', quote: 25, quantity: 9 },
          { sku: 'COFFEE-US', productType: 'rang', quote: 500, quantity: 1 },
          { sku: 7, productType: 'fixed', quote: 'x', quantity: 1 },
        ],
        wallet: 'U',
        reference: 'r',
      }),
    )
    const { exit, stderr } = await shop.run(['create', file, '--json'])
    expect([exit, await shop.asked()]).toEqual([2, ''])
    const { violations, fix: common } = JSON.parse(stderr).error
    expect(violations.map((each: string) => each.replace(/;.*/, ''))).toEqual([
      'productList[0].quantity is 9',
      'productList[2].sku is 7',
      'productList[2].quote is "x"',
      'wallet is "U"',
      'productList[0].sku is "GAMEUS"',
      'productList[1].productType is "rang"',
      'productList[1].quote is 500',
    ])
    expect(common).toBe('orderctl create --help')
  })

  test('on a terminal, nothing is asked if a given product is wrong', async () => {
    const shop = await openWorld()
    const { exit, questions, stderr } = await shop.atTerminal(['create', '--product', 'GAMEUS:25'])
    expect([exit, questions]).toEqual([2, []])
    expect(stderr.replace(/\s+/g, ' ')).toContain('did you mean GAME-US?')
  })

  test('the error at 80 columns, with and without colour', async () => {
    const shop = await openWorld()
    const draw = async (colour: object) => {
      const env = { COLUMNS: '80', ...colour }
      return (await shop.atTerminal(['create', ...flags('GAMEUS:25', 'GAME-US:25/fixd')], { env })).stderr
    }
    const coloured = await draw({ NO_COLOR: '', FORCE_COLOR: '1' })
    expect(coloured.replaceAll('\u001b', '^')).toMatchSnapshot()
    expect(await draw({ NO_COLOR: '1' })).toBe(stripVTControlCharacters(coloured))
  })
})

const coffee = { sku: 'COFFEE-US', productType: 'range', currency: 'USD', min: 6, max: 9.5 }
const game = { sku: 'GAME-US', productType: 'fixed', currency: 'USD', quote: 25 }

/** A profile of a shop over a socket, with a product file or without one. */
const profile = async (...list: object[]) => {
  const shop = await openWorld(overSocket)
  const { ORDERCTL_BASE_URL = '', ORDERCTL_API_KEY = '' } = shop.environment
  const env = { ORDERCTL_CONFIG_DIR: path.join(shop.home, 'config'), ORDERCTL_PROFILE: 'shop' }
  const unset = { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined } as unknown as Record<
    string,
    string
  >
  const products = path.join(shop.home, 'products.json')
  const sells = (...sold: object[]) => writeFileSync(products, JSON.stringify({ products: sold }))
  if (list.length > 0) sells(...list)
  const words = [
    '--base-url',
    ORDERCTL_BASE_URL,
    '--key-stdin',
    ...(list.length > 0 ? ['--products', products] : []),
  ]
  const added = await shop.run(['profile', 'add', 'shop', ...words], {
    env: { ...env, ...unset, ORDERCTL_PROFILE: '' },
    input: ORDERCTL_API_KEY,
  })
  if (added.exit !== 0) throw new Error(added.stderr)
  const run = (...line: string[]) => shop.run(line, { env: { ...env, ...unset } })
  return { shop, products, sells, run }
}

describe('with a product file', () => {
  test('a product that is not in it, or at another price, is refused before anything is sent', async () => {
    const { shop, products, run } = await profile(coffee, game)
    const advice = `Correct the product, or the product file ${products}.`
    const named = `--product GAMEUS:25, sku is "GAMEUS"; allowed: a SKU of the product file ${products} (did you mean GAME-US?)`
    for (const more of [[], ['--dry-run']]) {
      expect(await run('create', ...flags('GAMEUS:25', 'COFFEE-US:10', 'GAME-US:25/fixd'), ...more)).toEqual(
        refusal(
          [
            named,
            '--product COFFEE-US:10, quote is 10; allowed: 6 to 9.5 USD for COFFEE-US',
            '--product GAME-US:25/fixd, productType is "fixd"; allowed: fixed for GAME-US',
          ],
          advice,
        ),
      )
    }
    expect(await shop.asked()).toBe('')
  })

  test('its types are the defaults', async () => {
    const { run } = await profile(coffee, game)
    const { exit, stdout } = await run('create', ...flags('COFFEE-US:7'), '--dry-run')
    expect([exit, JSON.parse(stdout).productList[0].productType]).toEqual([0, 'range'])
  })

  test('an order is continued with --idempotent after the price changed', async () => {
    const { run, sells, shop } = await profile(game)
    expect((await run('create', ...flags('GAME-US:25'), '--idempotent')).exit).toBe(0)
    sells({ ...game, quote: 30 })
    expect((await run('create', ...flags('GAME-US:25'), '--idempotent')).exit).toBe(0)
    expect(await shop.asked()).toBe('create get get')
  })

  test('--again is checked, too', async () => {
    const { run, sells, shop } = await profile(game)
    expect((await run('create', ...flags('GAME-US:25'), '--confirm')).exit).toBe(0)
    sells({ ...game, quote: 30 })
    const { exit, stderr } = await run('create', '--again', 'ref:r', '--dry-run')
    expect([exit, stderr]).toEqual([2, expect.stringContaining('quote is 25; allowed: 30 USD for GAME-US')])
    expect(shop.sent('create')).toBe(1)
  })

  test('a file that cannot be used is only a warning', async () => {
    const { run, products } = await profile(game)
    writeFileSync(products, '{')
    const { exit, stderr } = await run('create', ...flags('GAME-US:25'), '--dry-run')
    expect(exit).toBe(0)
    expect(stderr).toMatch(/^warning: the product file .*; the products are not checked\n/)
  })
})

describe('without a list of the products', () => {
  test('a refusal names the product that was never ordered, and the similar one', async () => {
    const { run, shop } = await profile()
    const refused = async () => (await run('create', ...flags('GAMEUS:25'), '--reference', 's')).stderr
    expect(await refused()).not.toContain('GAMEUS')
    expect((await run('create', ...flags('GAME-US:25'))).exit).toBe(0)
    // A refused order is no proof that the product exists.
    for (let time = 0; time < 2; time += 1) {
      expect(await refused()).toMatch(
        /error: the service refused: One or more product in the sent list are not found\.\n {2}GAMEUS is in no earlier order of this account \(did you mean GAME-US\?\)\nCheck the SKUs\.\n$/,
      )
    }
    expect(await shop.asked()).toBe('create create create create')
  })

  test('a refused price is compared with that of the earlier order', async () => {
    const { run } = await profile()
    await run('create', ...flags('GAME-US:25'))
    for (const [product, said] of [
      ['GAME-US:26', 'GAME-US was 25 in an earlier order, not 26'],
      ['GAME-US:25/fixd', 'GAME-US was fixed in an earlier order, not fixd'],
    ] as const) {
      const { exit, stderr } = await run('create', ...flags(product), '--reference', 's')
      expect([exit, stderr]).toEqual([3, expect.stringContaining(`doesn't match the SKU.\n  ${said}\n`)])
    }
  })

  test('--dry-run warns of a probable mistake, and sends nothing', async () => {
    const { run, shop } = await profile()
    const words = flags('GAMEUS:25', 'GAME-US:25/fixd', 'NOBODY:1')
    expect((await run('create', ...words, '--dry-run')).stderr).toBe(
      'The order is valid. Nothing was sent.\n',
    )
    await run('create', ...flags('GAME-US:25'))
    const { exit, stdout, stderr } = await run('create', ...words, '--dry-run')
    expect([exit, JSON.parse(stdout).productList.length]).toEqual([0, 3])
    expect(stderr).toBe(
      'warning: productList[0]: GAMEUS is in no earlier order of this account (did you mean GAME-US?)\n' +
        'warning: productList[1]: GAME-US was fixed in an earlier order, not fixd\n' +
        'The order is valid. Nothing was sent.\n',
    )
    expect(await shop.asked()).toBe('create')
  })

  test('batch plan warns, too', async () => {
    const { run, shop } = await profile()
    await run('create', ...flags('GAME-US:25'))
    const file = shop.file('sku,quote\nGAME-US,25\nGAMEUS,25\nGAMEUS,25\n', 'rows.csv')
    const { exit, stderr } = await run('batch', 'plan', path.join(shop.home, file), '--wallet', 'USD')
    expect(exit).toBe(0)
    expect(stderr.match(/^warning: .*\n/gm)).toEqual([
      'warning: line 3: GAMEUS is in no earlier order of this account (did you mean GAME-US?)\n',
    ])
  })
})

describe('a batch', () => {
  test('in the sandbox names every wrong row', async () => {
    const shop = await openWorld()
    const file = shop.file('Amount,sku,who\n25,GAMEUS,Ana\n500,COFFEE-US,Bo\n7,COFFEE-US,Cy\n', 'rows.csv')
    for (const verb of ['plan', 'run']) {
      const words = [
        'batch',
        verb,
        path.join(shop.home, file),
        '--map',
        'quote=Amount',
        '--product',
        'GAME-US:1',
      ]
      const { exit, stderr } = await shop.run([
        ...words,
        '--wallet',
        'USD',
        ...(verb === 'run' ? ['--max-total', '9'] : []),
      ])
      expect([exit, stderr.split('\n').slice(-5)]).toEqual([
        2,
        [
          '  line 2: sku is "GAMEUS"; allowed: a SKU of the sandbox (did you mean GAME-US?)',
          '  line 3: Amount is "500"; allowed: 5 to 100 USD for COFFEE-US',
          '  --product 1: quote is "1"; allowed: 25 USD for GAME-US',
          'try: orderctl sandbox',
          '',
        ],
      ])
    }
    expect(await shop.asked()).toBe('')
  })

  test('that was started goes on after the product file changed', async () => {
    const { run, sells, shop } = await profile(game)
    const file = path.join(shop.home, shop.file('sku,quote\nGAME-US,25\n', 'rows.csv'))
    const words = ['batch', 'run', file, '--wallet', 'USD', '--max-total', '100']
    sells({ ...game, quote: 30 })
    expect(await run(...words)).toMatchObject({ exit: 2, stdout: '' })
    sells(game)
    expect((await run(...words)).exit).toBe(0)
    sells({ ...game, quote: 30 })
    expect((await run(...words)).exit).toBe(0)
    const other = path.join(shop.home, shop.file('sku,quote\nGAME-US,25\nGAME-US,25\n', 'rows.csv'))
    expect((await run('batch', 'plan', other, '--wallet', 'USD')).stderr).toMatch(
      /lines 2, 3: quote is "25"; allowed: 30 USD for GAME-US\n/,
    )
  })
})
