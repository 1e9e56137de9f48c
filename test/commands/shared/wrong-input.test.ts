// Wrong order files and wrong flags: each message to the letter, exit code 2, and not one request sent.
import { describe, expect, test } from 'vitest'
import { byExecutable, openerFor, overSocket } from '../../support/customer.ts'

const open = openerFor(overSocket)
const openExecutable = openerFor(byExecutable)

const line = '{"sku":"GAME-US","productType":"fixed","quote":25,"quantity":1}'
const rest = '"wallet":"USD","reference":"r"'
const lines = (...all: string[]) => `{"productList":[${all.join(',')}],${rest}}`
const lineWith = (field: string, value: string | undefined) => {
  const fields: Record<string, string> = {
    sku: '"GAME-US"',
    productType: '"fixed"',
    quote: '25',
    quantity: '1',
    ...(value === undefined ? {} : { [field]: value }),
  }
  const kept = Object.entries(fields).filter(([name]) => value !== undefined || name !== field)
  return lines(`{${kept.map(([name, text]) => `"${name}":${text}`).join(',')}}`)
}

const asks = async (words: readonly string[], input?: string, opener = open) => {
  const shop = await opener()
  const ran = await shop.run(words, input === undefined ? {} : { input })
  return { ...ran, asked: await shop.asked() }
}
const refused = (text: string) => ({ exit: 2, stdout: '', stderr: text, asked: '' })
const notValid = (violations: readonly string[]) =>
  refused(
    `error: the order is not valid; nothing was sent\n${violations.map((each) => `  ${each}\n`).join('')}try: orderctl create --help\n`,
  )

const wallet = 'a currency code in capital letters, such as USD'
const quantity = 'a whole number from 1 to 5'
const identifier = 'a product identifier, not empty, without control characters'
const address = 'an http or https address'
const nested = `${'['.repeat(40)}${']'.repeat(40)}`

describe('order files', { concurrent: true, timeout: 30_000 }, () => {
  test.each<[string, string, string[]]>([
    ['a list', '[]', ['the document is []; allowed: a JSON object']],
    ['null', 'null', ['the document is null; allowed: a JSON object']],
    ['a number', '7', ['the document is 7; allowed: a JSON object']],
    [
      'nothing in it',
      '{}',
      [
        'productList is missing; allowed: a list of products',
        'wallet is missing; allowed: a currency code such as USD',
        'reference is missing; allowed: a reference of your own',
      ],
    ],
    ['no product', lines(), ['productList is []; allowed: at least one product']],
    [
      'products that are no list',
      `{"productList":{},${rest}}`,
      ['productList is {}; allowed: a list of products'],
    ],
    ['a product that is a text', lines('"GAME-US"'), ['productList[0] is "GAME-US"; allowed: a JSON object']],
    ['no sku', lineWith('sku', undefined), ['productList[0].sku is missing; allowed: a product identifier']],
    ['an empty sku', lineWith('sku', '""'), [`productList[0].sku is ""; allowed: ${identifier}`]],
    ['a blank sku', lineWith('sku', '"  "'), [`productList[0].sku is "  "; allowed: ${identifier}`]],
    [
      'a sku with an escape',
      lineWith('sku', '"A\\u001b[31m"'),
      [`productList[0].sku is "A\\u001b[31m"; allowed: ${identifier}`],
    ],
    [
      'a sku that is a number',
      lineWith('sku', '5'),
      ['productList[0].sku is 5; allowed: a product identifier'],
    ],
    [
      'no type',
      lineWith('productType', undefined),
      ['productList[0].productType is missing; allowed: a product type such as fixed or range'],
    ],
    [
      'no quote',
      lineWith('quote', undefined),
      ['productList[0].quote is missing; allowed: a number above 0, such as 25 or 12.50'],
    ],
    ['a quote of nothing', lineWith('quote', '0'), ['productList[0].quote is 0; allowed: a number above 0']],
    [
      'a quote below nothing',
      lineWith('quote', '-25'),
      ['productList[0].quote is -25; allowed: a number above 0'],
    ],
    [
      'a quote that is a text',
      lineWith('quote', '"25"'),
      ['productList[0].quote is "25"; allowed: a number above 0, such as 25 or 12.50'],
    ],
    [
      'no quantity',
      lineWith('quantity', undefined),
      [`productList[0].quantity is missing; allowed: ${quantity}`],
    ],
    [
      'a quantity of nothing',
      lineWith('quantity', '0'),
      [`productList[0].quantity is 0; allowed: ${quantity}`],
    ],
    ['half a unit', lineWith('quantity', '1.5'), [`productList[0].quantity is 1.5; allowed: ${quantity}`]],
    [
      'a quantity that is a text',
      lineWith('quantity', '"2"'),
      [`productList[0].quantity is "2"; allowed: ${quantity}`],
    ],
    [
      'a product twice',
      lines(line, line),
      ['productList[1].sku is "GAME-US"; allowed: unique in one order; productList[0] has it'],
    ],
    [
      'a small wallet',
      `{"productList":[${line}],"wallet":"usd","reference":"r"}`,
      [`wallet is "usd"; allowed: ${wallet}`],
    ],
    [
      'a wallet that is null',
      `{"productList":[${line}],"wallet":null,"reference":"r"}`,
      ['wallet is null; allowed: a currency code such as USD'],
    ],
    [
      'no reference',
      `{"productList":[${line}],"wallet":"USD"}`,
      ['reference is missing; allowed: a reference of your own'],
    ],
    [
      'a reference of two lines',
      `{"productList":[${line}],"wallet":"USD","reference":"a\\nb"}`,
      ['reference is "a\\nb"; allowed: a reference of your own, not empty, without control characters'],
    ],
    [
      'a webhook by mail',
      `{"productList":[${line}],${rest},"webhookUrl":"mailto:a@b.c"}`,
      [`webhookUrl is "mailto:a@b.c"; allowed: ${address}`],
    ],
    [
      'a mistyped field',
      `{"productList":[${line}],${rest},"walet":"USD"}`,
      ['walet is "USD"; allowed: the fields productList, wallet, reference, webhookUrl'],
    ],
    [
      'a mistyped field in a line',
      lineWith('qty', '2'),
      ['productList[0].qty is 2; allowed: the fields sku, productType, quote, quantity'],
    ],
    [
      'all of it wrong at once',
      `{"productList":[{"sku":"","productType":"fixed","quote":0,"quantity":9}],"wallet":"$","reference":""}`,
      [
        `productList[0].sku is ""; allowed: ${identifier}`,
        'productList[0].quote is 0; allowed: a number above 0',
        `productList[0].quantity is 9; allowed: ${quantity}`,
        `wallet is "$"; allowed: ${wallet}`,
        'reference is ""; allowed: a reference of your own, not empty, without control characters',
      ],
    ],
  ])('with %s', async (_case, text, violations) => {
    expect(await asks(['create', '-'], text)).toEqual(notValid(violations))
  })

  test.each([
    ['nothing at all', ''],
    ['half an order', lines(line).slice(0, 40)],
    ['a comma too many', `{"productList":[${line},],${rest}}`],
    ['a field twice', `{"wallet":"EUR","productList":[${line}],${rest}}`],
    ['a wall of brackets', `{"productList":${nested},${rest}}`],
    ['a page of HTML', '<html></html>'],
  ])('with %s are not read as JSON', async (_case, text) => {
    expect(await asks(['create', '-'], text)).toEqual(
      refused(
        expect.stringMatching(
          /^error: the order in standard input .+\ntry: orderctl create --skeleton\n$/,
        ) as unknown as string,
      ),
    )
  })

  test('that are not there, or are a folder, are named', async () => {
    expect(await asks(['create', 'nothing.json'])).toEqual(
      refused(
        'error: cannot read the order from nothing.json: no such file or directory\ntry: orderctl create --help\n',
      ),
    )
    expect(await asks(['create', '.'])).toEqual(
      refused(
        'error: cannot read the order from .: illegal operation on a directory\ntry: orderctl create --help\n',
      ),
    )
  })
})

describe('flags', { concurrent: true, timeout: 30_000 }, () => {
  const good = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']
  const form = 'SKU:QUOTE[xQUANTITY][/TYPE], such as GAME-US:25x2'
  const interval = 'a duration of at least 100ms, such as 500ms or 2s'
  const timeout = 'a duration such as 500ms, 2s or 11m, up to 30d'
  const duration = 'a duration such as 500ms, 2s, 11m, 1h30m or 0'

  test.each<[string[], string[]]>([
    [
      ['create'],
      [`--product is missing; allowed: ${form}`, '--wallet is missing; allowed: a currency code such as USD'],
    ],
    [['create', '--product', 'GAME-US:25'], ['--wallet is missing; allowed: a currency code such as USD']],
    [['create', '--wallet', 'USD'], [`--product is missing; allowed: ${form}`]],
    [[...good, '--wallet', 'dollars'], [`--wallet is "dollars"; allowed: ${wallet}`]],
    [
      [...good, '--reference', ''],
      ['--reference is ""; allowed: a reference of your own, not empty, without control characters'],
    ],
    [[...good, '--webhook-url', 'ftp://x'], [`--webhook-url is "ftp://x"; allowed: ${address}`]],
    [
      ['create', '--wallet', 'USD', '--product', 'GAME-US:25x2.5'],
      [`--product GAME-US:25x2.5, quantity is "2.5"; allowed: ${quantity}`],
    ],
    [
      ['create', '--wallet', 'USD', '--product', 'GAME-US:12,50'],
      ['--product GAME-US:12,50, quote is "12,50"; allowed: a number above 0, such as 25 or 12.50'],
    ],
    [
      ['create', '--wallet', 'USD', '--product', 'GAME-US:much'],
      ['--product GAME-US:much, quote is "much"; allowed: a number above 0, such as 25 or 12.50'],
    ],
    [
      ['create', '--wallet', 'USD', '--product', 'GAME-US:-25'],
      ['--product GAME-US:-25, quote is -25; allowed: a number above 0'],
    ],
    [
      [...good, '--product', 'GAME-US:25'],
      ['--product GAME-US:25, sku is "GAME-US"; allowed: unique in one order; productList[0] has it'],
    ],
  ])('%j', async (words, violations) => {
    expect(await asks(words)).toEqual(notValid(violations))
  })

  test.each<[string[], string, string | undefined]>([
    [
      ['create', '--wallet', 'USD', '--product', 'GAME-US'],
      `--product is "GAME-US"; allowed: ${form}`,
      'orderctl create --help',
    ],
    [
      ['create', '--wallet', 'USD', '--product', ''],
      `--product is ""; allowed: ${form}`,
      'orderctl create --help',
    ],
    [
      ['create', '--wallet', 'USD', '--product', ':25'],
      `--product is ":25"; allowed: ${form}`,
      'orderctl create --help',
    ],
    [[...good, '--timeout', 'soon'], `--timeout is "soon"; allowed: ${timeout}`, 'orderctl create --help'],
    [
      [...good, '--confirm', '--max-total', 'much'],
      '--max-total is "much"; allowed: an amount such as 100 or 99.50',
      'orderctl create --help',
    ],
    [[...good, '--fields', 'id'], '--fields needs --json', 'orderctl create --help'],
    [[...good, '--product'], "option '--product <product>' argument missing", 'orderctl create --help'],
    [[...good, '--walet', 'USD'], "unknown option '--walet'", '--wallet, or orderctl create --help'],
    [
      [...good, 'one.json', 'two.json'],
      "too many arguments for 'create'. Expected 1 argument but got 2: one.json, two.json.",
      'orderctl create --help',
    ],
    [['confirm'], "missing required argument 'order'", 'orderctl confirm --help'],
    [
      ['confirm', 'o', '--min-validity', '5'],
      `--min-validity is "5"; allowed: ${duration}`,
      'orderctl confirm --help',
    ],
    [
      ['confirm', 'o', '--max-total', '1,5'],
      '--max-total is "1,5"; allowed: an amount such as 100 or 99.50',
      'orderctl confirm --help',
    ],
    [['get'], "missing required argument 'order'", 'orderctl get --help'],
    [
      ['get', 'o', '--profile', 'nobody'],
      "there is no profile 'nobody'",
      'Profiles: sandbox. Add one: orderctl profile add NAME',
    ],
    [
      ['redeem', 'o', '--only', 'cash'],
      '--only is "cash"; allowed: pin, code, link, serial',
      'orderctl redeem --help',
    ],
    [
      ['watch', 'o', '--interval', 'often'],
      `--interval is "often"; allowed: ${interval}`,
      'orderctl watch --help',
    ],
    [['watch', 'o', '--timeout', '-1s'], `--timeout is "-1s"; allowed: ${timeout}`, 'orderctl watch --help'],
  ])('%j says: %s', async (words, message, fix) => {
    expect(await asks(words)).toEqual(
      refused(`error: ${message}\n${fix === undefined ? '' : `try: ${fix}\n`}`),
    )
  })

  test('two that are wrong are both named', async () => {
    expect(await asks(['watch', 'o', '--interval', 'often', '--timeout', 'never'])).toEqual(
      refused(
        `error: 2 flags are invalid\n  --interval is "often"; allowed: ${interval}\n  --timeout is "never"; allowed: ${timeout}\ntry: orderctl watch --help\n`,
      ),
    )
  })

  test('an error is one JSON object where JSON is asked for', async () => {
    const { exit, stdout, stderr, asked } = await asks(['create', '--wallet', 'USD', '--json'])
    expect({ exit, stdout, asked, ...JSON.parse(stderr) }).toEqual({
      exit: 2,
      stdout: '',
      asked: '',
      error: {
        code: 'usage',
        message: 'the order is not valid; nothing was sent',
        fix: 'orderctl create --help',
        violations: [`--product is missing; allowed: ${form}`],
        retryable: false,
      },
    })
  })
})

describe('the built executable says the same', { concurrent: true, timeout: 30_000 }, () => {
  test.each<[string[], string?]>([
    [['create', '-'], lines(line, line)],
    [['create', '-', '--json'], '{}'],
    [['create', '-'], '<html></html>'],
    [['create', '.']],
    [['create', '--wallet', 'USD', '--product', 'GAME-US:25x6']],
    [['watch', 'o', '--interval', 'often', '--timeout', 'never']],
  ])('%j %s', async (words, input) => {
    const [built, here] = await Promise.all([asks(words, input, openExecutable), asks(words, input)])
    expect(built).toEqual(here)
    expect(built).toMatchObject({ exit: 2, stdout: '', asked: '' })
  })
})
