// What people see, at 80 and 120 columns, with and without colour: the screens as a reviewer reads them.
import { beforeAll, describe, expect, test } from 'vitest'
import { customer, openerFor, overSocket, scrub } from '../support/customer.ts'

const open = openerFor(overSocket)
let shop: Awaited<ReturnType<typeof open>>
let order = ''
beforeAll(async () => {
  shop = await open()
  order = await shop.ended('GAME-US:25x2', 'GAME-JP:3000', 'TEST-FAIL:10')
})

/** The screen alone; colours as `<32>`, made visible. */
const screen = async (words: readonly string[], columns: 80 | 120, colour = false): Promise<string> => {
  const env = { COLUMNS: String(columns), ...(colour ? { FORCE_COLOR: '1' } : {}) }
  const { stdout } = await shop.run(words, { env })
  const text = scrub(stdout)
    .replaceAll('\u001b[', '<')
    .replace(/<([\d;]+)m/g, '<$1>')
  return `\n${text}`
}
const widest = (text: string): number => Math.max(...text.split('\n').map((each) => [...each].length))

describe('a new order', () => {
  const words = [
    'create',
    '--product',
    'GAME-DE:20x2',
    '--wallet',
    'USD',
    '--reference',
    'ref-1',
    '--allow-duplicate',
  ]
  test('at 80 columns', async () => {
    expect(await screen(words, 80)).toMatchInlineSnapshot(`
      "
      Order      ord_1234567890abcdef
      Reference  ref-1
      State      ○ created, not confirmed yet, nothing is spent
      Total      44.45 USD, unpaid, from the USD wallet (balance)
      Retail     43.37 USD
      Validity   expires in 9 min, YYYY-MM-DD hh:mm:ss UTC

      Wallet invoice
      SKU      ITEM      DESCRIPTION                AT                 AMOUNT
      ───────────────────────────────────────────────────────────────────────
      GAME-DE  product   2 x Quorvane Games 20 EUR  2 × 20.00 EUR   40.00 EUR
               fee       fee 2.5 %                                   1.00 EUR
               exchange  EUR to USD at 1.0842       1.0842         -41.00 EUR
               exchange  EUR to USD at 1.0842       1.0842          44.45 USD
               subtotal                                             44.45 USD
      total                                                         44.45 USD

      Retail invoice
      SKU      ITEM      DESCRIPTION                AT                 AMOUNT
      ───────────────────────────────────────────────────────────────────────
      GAME-DE  product   2 x Quorvane Games 20 EUR  2 × 20.00 EUR   40.00 EUR
               exchange  EUR to USD at 1.0842       1.0842         -40.00 EUR
               exchange  EUR to USD at 1.0842       1.0842          43.37 USD
               subtotal                                             43.37 USD
      total                                                         43.37 USD

      Exchange rates, frozen until it expires
      RATE                AS OF
      ─
      1 EUR = 1.0842 USD  YYYY-MM-DD hh:mm:ss UTC, now
      "
    `)
  })
  test('in colour says the same', async () => {
    const same = words.map((word) => word.replace('GAME-DE:20', 'GAME-US:25'))
    const plain = await screen(same, 120)
    const coloured = await screen(same, 120, true)
    expect(coloured).toContain('<')
    expect(coloured.replace(/<[\d;]+>/g, '')).toBe(plain)
  })
})

describe('an order that came in part', () => {
  test('at 80 columns', async () => {
    expect(await screen(['get', order], 80)).toMatchInlineSnapshot(`
      "
      Order      ord_1234567890abcdef
      Reference  ref-1
      State      ! partial, some products ran into an error
      Total      79.88 USD, paid, from the USD wallet (balance)
      Created    YYYY-MM-DD hh:mm:ss UTC, now
      Changed    YYYY-MM-DD hh:mm:ss UTC, now

      SKU        PRODUCT                           COUNTRY       EACH  ORDERED   CARDS
      ────────────────────────────────────────────────────────────────────────────────
      GAME-US    Quorvane Games 25 USD             US       25.00 USD        2  2 of 2
      GAME-JP    クオルヴェイン ゲームカード       JP       3,000 JPY        1  1 of 1
                 3000円 (discount 1%)
      TEST-FAIL  Test: the line fails in           US       10.00 USD        1  0 of 1
                 processing

      Invoice
      SKU        ITEM      DESCRIPTION                       AT                 AMOUNT
      ────────────────────────────────────────────────────────────────────────────────
      GAME-US    product   2 x Quorvane Games 25 USD         2 × 25.00 USD   50.00 USD
      GAME-JP    product   1 x クオルヴェイン ゲームカード   1 × 3,000 JPY   3,000 JPY
                           3000円
                 discount  discount 1 %                                        -30 JPY
                 exchange  JPY to USD at 0.0066934           0.0066934      -2,970 JPY
                 exchange  JPY to USD at 0.0066934           0.0066934       19.88 USD
                 subtotal                                                    19.88 USD
      TEST-FAIL  product   1 x Test: the line fails in       1 × 10.00 USD   10.00 USD
                           processing
      total                                                                  79.88 USD

      Exchange rates
      RATE                   AS OF
      ─
      1 JPY = 0.0066934 USD  YYYY-MM-DD hh:mm:ss UTC, now
      "
    `)
  })
  test('in words', async () => {
    expect(await screen(['get', order, '--explain'], 80)).toMatchInlineSnapshot(`
      "
      Order ord_1234567890abcdef, reference ref-1: partial, some products ran into an error.
      Created YYYY-MM-DD hh:mm:ss UTC, now.
      Last changed YYYY-MM-DD hh:mm:ss UTC, now.

      What happened
      - GAME-US (Quorvane Games 25 USD), 2 ordered at 25.00 USD: delivered, 2 cards.
      - GAME-JP (クオルヴェイン ゲームカード 3000円), 1 ordered at 3,000 JPY: delivered, 1 card.
      - TEST-FAIL (Test: the line fails in processing), 1 ordered at 10.00 USD: not delivered, no card came.

      Money
      - The invoice is 79.88 USD from the USD wallet. The invoice's status is 'paid'.
      - GAME-US: 50.00 USD of the invoice.
      - GAME-JP: 19.88 USD of the invoice.
      - TEST-FAIL: 10.00 USD of the invoice.
      - Refunds: an order does not say whether and when undelivered products are refunded.
      - What was not delivered at all makes 10.00 USD: look for it in the wallet.

      What to do next
      - Get the cards: orderctl redeem ord_1234567890abcdef --reveal
      - Ask the service about TEST-FAIL; name the order ord_1234567890abcdef and the reference ref-1.
      - Order TEST-FAIL again only when the refund is there, or when the money is given up.
      "
    `)
  })
})

describe('its cards', () => {
  test('at 80 columns', async () => {
    expect(await screen(['redeem', order, '--sku', 'GAME-US'], 80)).toMatchInlineSnapshot(`
      "
      SKU          VALUE  CODE      PIN   SERIAL    LINK              EXPIRES
      ──────────────────────────────────────────────────────────────────────────
      GAME-US  25.00 USD  ••••XXXX  ••••  ••••XXXX  redeem.example/…  YYYY-MM-DD
      GAME-US  25.00 USD  ••••XXXX  ••••  ••••XXXX  redeem.example/…  YYYY-MM-DD

      GAME-US: how to redeem
        Open the Quorvane store, choose "Redeem" and enter the code.

      GAME-US: terms
        Valid for purchases in the Quorvane store in the United States. Not
        exchangeable for cash.
      "
    `)
  })
  test('at 120 columns', async () => {
    expect(await screen(['redeem', order, '--sku', 'GAME-US'], 120)).toMatchInlineSnapshot(`
      "
      SKU          VALUE  CODE      PIN   SERIAL    LINK              EXPIRES
      ──────────────────────────────────────────────────────────────────────────
      GAME-US  25.00 USD  ••••XXXX  ••••  ••••XXXX  redeem.example/…  YYYY-MM-DD
      GAME-US  25.00 USD  ••••XXXX  ••••  ••••XXXX  redeem.example/…  YYYY-MM-DD

      GAME-US: how to redeem
        Open the Quorvane store, choose "Redeem" and enter the code.

      GAME-US: terms
        Valid for purchases in the Quorvane store in the United States. Not exchangeable for cash.
      "
    `)
  })
})

test('a watch in a pipe', async () => {
  const [first] = (await screen(['watch', order], 80, true)).trim().split('\n')
  expect(first).toMatchInlineSnapshot(`"ord_1234567890abcdef  <33>! partial<39>  <2>after 0 s<22>"`)
})

describe('the sandbox', () => {
  test('begins with its products', async () => {
    const { must } = await customer()
    const lines = (await must('sandbox')).split('\n')
    expect(`\n${lines.slice(0, 8).join('\n')}`).toMatchInlineSnapshot(`
      "
      Products
      SKU                   PRODUCT                                        QUOTE  LEFT
      ────────────────────────────────────────────────────────────────────────────────
      GAME-US               Quorvane Games 25 USD                      25.00 USD
      GAME-DE               Quorvane Games 20 EUR                      20.00 EUR
      GAME-JP               クオルヴェイン                             3,000 JPY
                            ゲームカード 3000円
      GAME-BR               Quorvane Games 50 BRL                      50.00 BRL     3"
    `)
  })
  test.each([80, 120] as const)('fits %i columns', async (columns) => {
    const { run } = await customer()
    const { stdout } = await run(['sandbox'], { env: { COLUMNS: String(columns) } })
    expect(widest(stdout)).toBeLessThanOrEqual(columns)
  })
})
