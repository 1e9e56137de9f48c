// What people see, each screen at 80 columns plain and at 120 in colour, as a reviewer reads it; colours as words.
// The other two say the same: in colour and without are equal but for the colours.
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { byExecutable, type Customer, customer, overSocket, scrub } from '../../support/customer.ts'
import { swiftClock } from '../../support/in-process.ts'
import { inWords } from '../../ui/screens.ts'

type Words = readonly string[]
type Stream = 'stdout' | 'stderr'

/** Ids and the ends of codes are chance; times are the clock's. */
const steady = (text: string): string =>
  text
    .replace(/sbx_[a-z0-9]{16}/g, 'sbx_1234567890abcdef')
    .replace(/(••••|code ending in )[\dA-Z]{4}\b/g, '$1XXXX')

const widest = (text: string): number => Math.max(...text.split('\n').map((each) => stringWidth(each)))

/** A customer of the sandbox whose clock stands still, and the screens of what is said to it, each time anew. */
const painter = async () => {
  const shop = await customer()
  const clock = swiftClock()
  const say = (words: Words, env = {}) => shop.atTerminal(words, { terminals: [], clock, env })
  const screens = async (words: () => Words | Promise<Words>, stream: Stream = 'stdout') => {
    const at = async (columns: number, colour: object): Promise<string> => {
      const ran = await say(await words(), { COLUMNS: String(columns), ...colour })
      return steady(ran[stream])
    }
    for (const columns of [80, 120]) {
      const [plain, coloured] = [await at(columns, {}), await at(columns, { FORCE_COLOR: '1' })]
      expect(coloured).toContain('\u001b[')
      expect(stripVTControlCharacters(coloured)).toBe(plain)
      if (stream === 'stdout') expect(widest(plain)).toBeLessThanOrEqual(columns)
    }
    return {
      narrow: `\n${await at(80, {})}`,
      wide: `\n${inWords(await at(120, { FORCE_COLOR: '1' }))}`,
    }
  }
  const order = async (...words: string[]): Promise<string> =>
    (
      await say(['create', '--wallet', 'USD', '--reference', 'ref-1', '--allow-duplicate', '-q', ...words])
    ).stdout.trim()
  return { shop, say, screens, order }
}

const bought = ['--product', 'GAME-US:25x2', '--product', 'GAME-JP:3000', '--product', 'TEST-FAIL:10']

test('create', async () => {
  const { screens } = await painter()
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
  const { narrow, wide } = await screens(() => words)
  expect(narrow).toMatchInlineSnapshot(`
    "
    Order      sbx_1234567890abcdef
    Reference  ref-1
    State      ○ created, not confirmed yet, nothing spent
    Total      44.45 USD, unpaid, from the USD wallet (balance)
    Retail     43.37 USD, not charged
    Validity   expires in 10 min, 2026-03-01 12:10:00 UTC

    Wallet invoice (charged by confirm)
    SKU      ITEM      DESCRIPTION                AT                 AMOUNT
    ───────────────────────────────────────────────────────────────────────
    GAME-DE  product   2 x Quorvane Games 20 EUR  2 × 20.00 EUR   40.00 EUR
             fee       fee 2.5 %                                   1.00 EUR
             exchange  EUR to USD at 1.0842       1.0842         -41.00 EUR
             exchange  EUR to USD at 1.0842       1.0842          44.45 USD
             subtotal                                             44.45 USD
    total                                                         44.45 USD

    Retail invoice (not charged)
    SKU      ITEM      DESCRIPTION                AT                 AMOUNT
    ───────────────────────────────────────────────────────────────────────
    GAME-DE  product   2 x Quorvane Games 20 EUR  2 × 20.00 EUR   40.00 EUR
             exchange  EUR to USD at 1.0842       1.0842         -40.00 EUR
             exchange  EUR to USD at 1.0842       1.0842          43.37 USD
             subtotal                                             43.37 USD
    total                                                         43.37 USD

    Exchange rates (fixed until the order expires)
    RATE                AS OF
    ────────────────────────────────────────────────
    1 EUR = 1.0842 USD  2026-03-01 12:00:00 UTC, now
    "
  `)
  expect(wide).toMatchInlineSnapshot(`
    "
    <quiet>Order    </>  <strong>sbx_1234567890abcdef</>
    <quiet>Reference</>  ref-1
    <quiet>State    </>  <warning>○ created</>, not confirmed yet, nothing spent
    <quiet>Total    </>  <strong>44.45 USD</>, unpaid, from the USD wallet (balance)
    <quiet>Retail   </>  43.37 USD, not charged
    <quiet>Validity </>  <warning>expires in 10 min</>, 2026-03-01 12:10:00 UTC

    <strong>Wallet invoice (charged by confirm)</>
    <quiet>SKU</>      <quiet>ITEM</>      <quiet>DESCRIPTION</>                <quiet>AT</>                 <quiet>AMOUNT</>
    <quiet>───────────────────────────────────────────────────────────────────────</>
    GAME-DE  product   2 x Quorvane Games 20 EUR  2 × 20.00 EUR   40.00 EUR
             fee       fee 2.5 %                                   1.00 EUR
             exchange  EUR to USD at 1.0842       1.0842         -41.00 EUR
             exchange  EUR to USD at 1.0842       1.0842          44.45 USD
             <quiet>subtotal</>                                             44.45 USD
    <strong>total</>                                                         <strong>44.45 USD</>

    <strong>Retail invoice (not charged)</>
    <quiet>SKU</>      <quiet>ITEM</>      <quiet>DESCRIPTION</>                <quiet>AT</>                 <quiet>AMOUNT</>
    <quiet>───────────────────────────────────────────────────────────────────────</>
    GAME-DE  product   2 x Quorvane Games 20 EUR  2 × 20.00 EUR   40.00 EUR
             exchange  EUR to USD at 1.0842       1.0842         -40.00 EUR
             exchange  EUR to USD at 1.0842       1.0842          43.37 USD
             <quiet>subtotal</>                                             43.37 USD
    <strong>total</>                                                         <strong>43.37 USD</>

    <strong>Exchange rates (fixed until the order expires)</>
    <quiet>RATE</>                <quiet>AS OF</>
    <quiet>────────────────────────────────────────────────</>
    1 EUR = 1.0842 USD  2026-03-01 12:00:00 UTC, now
    "
  `)
})

test('what confirm shows before it spends', async () => {
  const { screens, order } = await painter()
  const words = async () => ['confirm', await order('--product', 'GAME-DE:20x2')]
  const { narrow, wide } = await screens(words, 'stderr')
  expect(narrow).toMatchInlineSnapshot(`
    "
    Using the sandbox: no real money
    Order      sbx_1234567890abcdef
    Reference  ref-1
    State      ○ created, not confirmed yet, nothing spent
    Total      44.45 USD, unpaid, from the USD wallet (balance)
    Created    2026-03-01 12:00:00 UTC, now
    Changed    2026-03-01 12:00:00 UTC, now

    SKU      PRODUCT                           COUNTRY       EACH  ORDERED
    ──────────────────────────────────────────────────────────────────────
    GAME-DE  Quorvane Games 20 EUR (fee 2.5%)  DE       20.00 EUR        2
    expires in 10 min
    "
  `)
  expect(wide).toMatchInlineSnapshot(`
    "
    <quiet>Using the sandbox: no real money</>
    <quiet>Order    </>  <strong>sbx_1234567890abcdef</>
    <quiet>Reference</>  ref-1
    <quiet>State    </>  <warning>○ created</>, not confirmed yet, nothing spent
    <quiet>Total    </>  <strong>44.45 USD</>, unpaid, from the USD wallet (balance)
    <quiet>Created  </>  2026-03-01 12:00:00 UTC, now
    <quiet>Changed  </>  2026-03-01 12:00:00 UTC, now

    <quiet>SKU</>      <quiet>PRODUCT</>                           <quiet>COUNTRY</>       <quiet>EACH</>  <quiet>ORDERED</>
    <quiet>──────────────────────────────────────────────────────────────────────</>
    GAME-DE  Quorvane Games 20 EUR (fee 2.5%)  DE       20.00 EUR        2
    expires in 10 min
    "
  `)
})

describe('an order that came in part', () => {
  const partial = async () => {
    const { order, ...rest } = await painter()
    return { id: await order(...bought, '--watch'), ...rest }
  }

  test('get', async () => {
    const { id, screens } = await partial()
    const { narrow, wide } = await screens(() => ['get', id])
    expect(narrow).toMatchInlineSnapshot(`
      "
      Order      sbx_1234567890abcdef
      Reference  ref-1
      State      ! partial, some products failed
      Total      79.88 USD, paid, from the USD wallet (balance)
      Created    2026-03-01 12:00:00 UTC, 2 s ago
      Changed    2026-03-01 12:00:02 UTC, now

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
      ───────────────────────────────────────────────────────
      1 JPY = 0.0066934 USD  2026-03-01 12:00:00 UTC, 2 s ago
      "
    `)
    expect(wide).toMatchInlineSnapshot(`
      "
      <quiet>Order    </>  <strong>sbx_1234567890abcdef</>
      <quiet>Reference</>  ref-1
      <quiet>State    </>  <warning>! partial</>, some products failed
      <quiet>Total    </>  <strong>79.88 USD</>, paid, from the USD wallet (balance)
      <quiet>Created  </>  2026-03-01 12:00:00 UTC, 2 s ago
      <quiet>Changed  </>  2026-03-01 12:00:02 UTC, now

      <quiet>SKU</>        <quiet>PRODUCT</>                                           <quiet>COUNTRY</>       <quiet>EACH</>  <quiet>ORDERED</>   <quiet>CARDS</>
      <quiet>────────────────────────────────────────────────────────────────────────────────────────────────</>
      GAME-US    Quorvane Games 25 USD                             US       25.00 USD        2  <good>2 of 2</>
      GAME-JP    クオルヴェイン ゲームカード 3000円 (discount 1%)  JP       3,000 JPY        1  <good>1 of 1</>
      TEST-FAIL  Test: the line fails in processing                US       10.00 USD        1  <bad>0 of 1</>

      <strong>Invoice</>
      <quiet>SKU</>        <quiet>ITEM</>      <quiet>DESCRIPTION</>                             <quiet>AT</>                 <quiet>AMOUNT</>
      <quiet>──────────────────────────────────────────────────────────────────────────────────────</>
      GAME-US    product   2 x Quorvane Games 25 USD               2 × 25.00 USD   50.00 USD
      GAME-JP    product   1 x クオルヴェイン ゲームカード 3000円  1 × 3,000 JPY   3,000 JPY
                 discount  discount 1 %                                              -30 JPY
                 exchange  JPY to USD at 0.0066934                 0.0066934      -2,970 JPY
                 exchange  JPY to USD at 0.0066934                 0.0066934       19.88 USD
                 <quiet>subtotal</>                                                          19.88 USD
      TEST-FAIL  product   1 x Test: the line fails in processing  1 × 10.00 USD   10.00 USD
      <strong>total</>                                                                        <strong>79.88 USD</>

      <strong>Exchange rates</>
      <quiet>RATE</>                   <quiet>AS OF</>
      <quiet>───────────────────────────────────────────────────────</>
      1 JPY = 0.0066934 USD  2026-03-01 12:00:00 UTC, 2 s ago
      "
    `)
  })

  test('get --explain', async () => {
    const { id, say } = await partial()
    expect(`\n${steady((await say(['get', id, '--explain'])).stdout)}`).toMatchInlineSnapshot(`
      "
      Order sbx_1234567890abcdef, reference ref-1: partial, some products failed.
      Created 2026-03-01 12:00:00 UTC by tester. Paid 2026-03-01 12:00:00 UTC, when it
      was confirmed. Last changed 2026-03-01 12:00:02 UTC, 2 s later.

      What happened
      - GAME-US (Quorvane Games 25 USD), 2 ordered at 25.00 USD: delivered, 2 cards.
      - GAME-JP (クオルヴェイン ゲームカード 3000円), 1 ordered at 3,000 JPY:
        delivered, 1 card.
      - TEST-FAIL (Test: the line fails in processing), 1 ordered at 10.00 USD: not
        delivered.

      Cards
      - Card 1, GAME-US (Quorvane Games 25 USD): code ending in XXXX, PIN, serial
        number, link. Expires 2027-03-01 12:00:02 UTC.
      - Card 2, GAME-US (Quorvane Games 25 USD): code ending in XXXX, PIN, serial
        number, link. Expires 2027-03-01 12:00:02 UTC.
      - Card 3, GAME-JP (クオルヴェイン ゲームカード 3000円): code ending in XXXX,
        PIN, serial number, link. Expires 2026-08-28 12:00:02 UTC.

      Money
      - The total is 79.88 USD from the USD wallet. The invoice's status is 'paid'.
      - GAME-US: 50.00 USD of the total.
      - GAME-JP: 19.88 USD of the total.
      - TEST-FAIL: 10.00 USD of the total.
      - The order does not show refunds.
      - Completely undelivered products cost 10.00 USD. Check the wallet for a refund.

      Who revealed the codes
      - Nobody, as far as this journal knows.

      What the service answered
      - create 2026-03-01 12:00:00 UTC by tester: done.
      - confirm 2026-03-01 12:00:00 UTC by tester: done.
      - get 2026-03-01 12:00:02 UTC: state partial, invoice paid.

      What to do next
      - Get the cards: orderctl redeem sbx_1234567890abcdef --reveal
      - Ask the service about TEST-FAIL. Give the order id sbx_1234567890abcdef and
        the reference ref-1.
      - Order TEST-FAIL again only after you have the refund.
      "
    `)
  })

  test('redeem, and what it says of the missing', async () => {
    const { id, screens } = await partial()
    const words = ['redeem', id, '--sku', 'GAME-US', '--sku', 'TEST-FAIL']
    const { narrow, wide } = await screens(() => words)
    expect(narrow).toMatchInlineSnapshot(`
      "
      SKU          VALUE  CODE      PIN   SERIAL    LINK              EXPIRES
      ──────────────────────────────────────────────────────────────────────────
      GAME-US  25.00 USD  ••••XXXX  ••••  ••••XXXX  redeem.example/…  2027-03-01
      GAME-US  25.00 USD  ••••XXXX  ••••  ••••XXXX  redeem.example/…  2027-03-01

      GAME-US: how to redeem
        Open the Quorvane store, choose "Redeem" and enter the code.

      GAME-US: terms
        Valid for purchases in the Quorvane store in the United States. Not
        exchangeable for cash.
      "
    `)
    expect(wide).toMatchInlineSnapshot(`
      "
      <quiet>SKU</>          <quiet>VALUE</>  <quiet>CODE</>      <quiet>PIN</>   <quiet>SERIAL</>    <quiet>LINK</>              <quiet>EXPIRES</>
      <quiet>──────────────────────────────────────────────────────────────────────────</>
      GAME-US  25.00 USD  ••••XXXX  ••••  ••••XXXX  redeem.example/…  2027-03-01
      GAME-US  25.00 USD  ••••XXXX  ••••  ••••XXXX  redeem.example/…  2027-03-01

      <strong>GAME-US: how to redeem</>
        Open the Quorvane store, choose "Redeem" and enter the code.

      <strong>GAME-US: terms</>
        Valid for purchases in the Quorvane store in the United States. Not exchangeable for cash.
      "
    `)
    expect((await screens(() => words, 'stderr')).wide).toMatchInlineSnapshot(`
      "
      Codes are hidden. Show them with --reveal.
      <bad>missing:</> TEST-FAIL: 1 ordered, no card received
      "
    `)
  })

  test('watch in a pipe', async () => {
    const { id, screens } = await partial()
    const { narrow, wide } = await screens(() => ['watch', id])
    expect(narrow.split('\n').slice(0, 5).join('\n')).toMatchInlineSnapshot(`
      "
      sbx_1234567890abcdef  ! partial  after 0 s
      "
    `)
    expect(wide.split('\n').slice(0, 5).join('\n')).toMatchInlineSnapshot(`
      "
      sbx_1234567890abcdef  <warning>! partial</>  <quiet>after 0 s</>
      "
    `)
  })
})

test('sandbox', async () => {
  const { screens, order } = await painter()
  await order('--product', 'GAME-US:25x2', '--confirm')
  await order('--product', 'GAME-JP:3000')
  const { narrow, wide } = await screens(() => ['sandbox'])
  // The beginning and the end: between them are the rest of the products.
  const ends = (text: string) => text.replace(/^(?<begin>(?:.*\n){9})[\s\S]*(?=\n.*Wallets)/, '$<begin>…\n')
  expect(ends(narrow)).toMatchInlineSnapshot(`
    "
    Products
    SKU                   PRODUCT                                        QUOTE  LEFT
    ────────────────────────────────────────────────────────────────────────────────
    GAME-US               Quorvane Games 25 USD                      25.00 USD
    GAME-DE               Quorvane Games 20 EUR                      20.00 EUR
    GAME-JP               クオルヴェイン                             3,000 JPY
                          ゲームカード 3000円
    GAME-BR               Quorvane Games 50 BRL                      50.00 BRL     3
    …

    Wallets
    WALLET           BALANCE
    ────────────────────────
    AUD            10.00 AUD
    EUR     1,000,000.00 EUR
    GBP     1,000,000.00 GBP
    JPY      150,000,000 JPY
    USD       999,950.00 USD

    Newest orders
    ORDER                 REFERENCE  STATE            TOTAL
    ───────────────────────────────────────────────────────
    sbx_1234567890abcdef  ref-1      ○ created    19.88 USD
    sbx_1234567890abcdef  ref-1      … confirmed  50.00 USD
    "
  `)
  expect(ends(wide)).toMatchInlineSnapshot(`
    "
    <strong>Products</>
    <quiet>SKU</>                   <quiet>PRODUCT</>                                                           <quiet>QUOTE</>  <quiet>LEFT</>
    <quiet>───────────────────────────────────────────────────────────────────────────────────────────────────</>
    GAME-US               Quorvane Games 25 USD                                         25.00 USD
    GAME-DE               Quorvane Games 20 EUR                                         20.00 EUR
    GAME-JP               クオルヴェイン ゲームカード 3000円                            3,000 JPY
    GAME-BR               Quorvane Games 50 BRL                                         50.00 BRL     3
    COFFEE-US             Brambletosh Coffee                               5.00 USD to 100.00 USD
    …

    <strong>Wallets</>
    <quiet>WALLET</>           <quiet>BALANCE</>
    <quiet>────────────────────────</>
    AUD            10.00 AUD
    EUR     1,000,000.00 EUR
    GBP     1,000,000.00 GBP
    JPY      150,000,000 JPY
    USD       999,950.00 USD

    <strong>Newest orders</>
    <quiet>ORDER</>                 <quiet>REFERENCE</>  <quiet>STATE</>            <quiet>TOTAL</>  <quiet>CREATED</>
    <quiet>─────────────────────────────────────────────────────────────────────────────────────</>
    sbx_1234567890abcdef  ref-1      <warning>○ created</>    19.88 USD  2026-03-01 12:00:00 UTC, now
    sbx_1234567890abcdef  ref-1      <warning>… confirmed</>  50.00 USD  2026-03-01 12:00:00 UTC, now
    "
  `)
})

describe('profile', () => {
  const withShop = async () => {
    const { say, screens } = await painter()
    const shop = ['--base-url', 'https://orders.example.com', '--wallet', 'EUR', '--auth', 'header:X-Key']
    await say(['profile', 'add', 'shop', ...shop, '--credential-command', 'printf key', '--use'])
    return screens
  }

  test('list', async () => {
    const { narrow, wide } = await (await withShop())(() => ['profile', 'list'])
    expect(narrow).toMatchInlineSnapshot(`
      "
      USED  PROFILE  ADDRESS               AUTH          WALLET  CREDENTIAL
      ────────────────────────────────────────────────────────────────────────────────
            sandbox  built in: no real                           none needed
                     money
      *     shop     https://orders.examp  header:X-Key  EUR     command, run when
                     le.com                                      needed
      "
    `)
    expect(wide).toMatchInlineSnapshot(`
      "
      <quiet>USED</>  <quiet>PROFILE</>  <quiet>ADDRESS</>                     <quiet>AUTH</>          <quiet>WALLET</>  <quiet>CREDENTIAL</>
      <quiet>─────────────────────────────────────────────────────────────────────────────────────────</>
            sandbox  built in: no real money                           none needed
      *     shop     https://orders.example.com  header:X-Key  EUR     command, run when needed
      "
    `)
  })

  test('show', async () => {
    const { narrow, wide } = await (await withShop())(() => ['profile', 'show'])
    expect(narrow).toMatchInlineSnapshot(`
      "
      Profile     shop, in use
      Address     https://orders.example.com
      Auth        header:X-Key
      Wallet      EUR
      Credential  command, run when needed
      "
    `)
    expect(wide).toMatchInlineSnapshot(`
      "
      <quiet>Profile   </>  <strong>shop</>, in use
      <quiet>Address   </>  https://orders.example.com
      <quiet>Auth      </>  header:X-Key
      <quiet>Wallet    </>  EUR
      <quiet>Credential</>  command, run when needed
      "
    `)
  })
})

test('an error with all that is wrong', async () => {
  const { screens } = await painter()
  const words = ['create', '--product', 'GAME-US:0x9', '--wallet', 'usd']
  const { narrow, wide } = await screens(() => words, 'stderr')
  expect(narrow).toMatchInlineSnapshot(`
    "
    error: the order is not valid; nothing was sent
      --product GAME-US:0x9, quote is 0; allowed: a number above 0
      --product GAME-US:0x9, quantity is 9; allowed: a whole number from 1 to 5
      --wallet is "usd"; allowed: a currency code in capital letters, such as USD
    try: orderctl create --help
    "
  `)
  expect(wide).toMatchInlineSnapshot(`
    "
    <bad>error:</> the order is not valid; nothing was sent
      --product GAME-US:0x9, quote is 0; allowed: a number above 0
      --product GAME-US:0x9, quantity is 9; allowed: a whole number from 1 to 5
      --wallet is "usd"; allowed: a currency code in capital letters, such as USD
    <strong>try:</> orderctl create --help
    "
  `)
})

test('a refusal', async () => {
  const { screens } = await painter()
  const { wide } = await screens(() => ['confirm', 'ord_nobody'], 'stderr')
  expect(wide).toMatchInlineSnapshot(`
    "
    <quiet>Using the sandbox: no real money</>
    <bad>error:</> order ord_nobody: the service refused: Not Found
    <strong>try:</> Check the order id and the profile.
    "
  `)
})

describe('the built executable paints the same', () => {
  test.each([{ COLUMNS: '80' }, { COLUMNS: '120', FORCE_COLOR: '1' }])('with %j', async (env) => {
    const said = async (shop: Customer) => {
      const { exit, stdout, stderr } = await shop.run(['get', await shop.ended('GAME-US:25x2')], { env })
      return { exit, stdout: scrub(stdout), stderr }
    }
    expect(await said(await customer(byExecutable))).toEqual(await said(await customer(overSocket)))
  })
})
