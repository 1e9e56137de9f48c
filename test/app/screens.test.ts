// Screens are the same with and without colour, and no wider than the terminal. The screens of orders are compared in
// test/ui/screens, and the others here. Colours are written as words.
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { openWorld, order, overNetwork } from '../support/world.ts'
import { inWords } from '../ui/screens.ts'

const widest = (text: string): number => Math.max(...text.split('\n').map((each) => stringWidth(each)))

/** An account with a partial order. */
const open = async () => {
  const shop = await openWorld(overNetwork)
  const create = [...order.slice(0, 5), '--product', 'GAME-JP:3000', '-q']
  const partial = (await shop.runIn([...create, '--product', 'TEST-FAIL:10', '--watch'])).stdout.trim()
  /** The screen at 80 and 120 columns. */
  const screens = async (words: string, stream: 'stdout' | 'stderr' = 'stdout') => {
    const at = async (columns: number, colour: object): Promise<string> => {
      const env = { COLUMNS: String(columns), NO_COLOR: undefined, ...colour }
      return (await shop.runIn(words.replace('PARTIAL', partial).split(' '), { env }))[stream]
    }
    const widths = [80, 120] as const
    const [narrow, wide] = await Promise.all(
      widths.map(async (columns) => {
        const [plain, coloured] = [await at(columns, {}), await at(columns, { FORCE_COLOR: '1' })]
        expect(coloured).toContain('\u001b[')
        expect(stripVTControlCharacters(coloured)).toBe(plain)
        if (stream === 'stdout') expect(widest(plain)).toBeLessThanOrEqual(columns)
        return { plain: `\n${plain}`, coloured: `\n${inWords(coloured)}` }
      }),
    )
    return { narrow: narrow?.plain ?? '', wide: wide?.coloured ?? '' }
  }
  return { screens, shop }
}

test('every screen is the same with and without colour, and fits', async () => {
  const { screens } = await open()
  for (const words of ['get PARTIAL', 'redeem PARTIAL --sku GAME-US', 'watch PARTIAL']) await screens(words)
  await screens('redeem PARTIAL', 'stderr')
  await screens('confirm ord_nobody', 'stderr')
})

test('sandbox', async () => {
  const { screens, shop } = await open()
  await shop.id(...order, '--profile', 'sandbox', '--confirm')
  const { wide } = await screens('sandbox')
  // The beginning and the end: between them are the rest of the products.
  const ends = wide
    .replace(/^(?<begin>(?:.*\n){9})[\s\S]*(?=\n.*Wallets)/, '$<begin>…\n')
    .replace(/sbx_\w{16}/, 'sbx_1234567890abcdef')
    .replace(/12:00:\d\d/, '12:00:02')
  expect(ends).toMatchInlineSnapshot(`
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
    USD       999,975.00 USD

    <strong>Newest orders</>
    <quiet>ORDER</>                 <quiet>REFERENCE</>  <quiet>STATE</>            <quiet>TOTAL</>  <quiet>CREATED</>
    <quiet>─────────────────────────────────────────────────────────────────────────────────────</>
    sbx_1234567890abcdef  po-1       <warning>… confirmed</>  25.00 USD  2026-03-01 12:00:02 UTC, now
    "
  `)
})

test('profiles', async () => {
  const { screens, shop } = await open()
  const account = '--base-url https://orders.example.com --wallet EUR --auth header:X-Key'.split(' ')
  await shop.must(...['profile', 'add', 'shop', ...account, '--credential-command', 'printf key'])
  const { narrow, wide } = await screens('profile list')
  expect(narrow).toMatchInlineSnapshot(`
    "
    USED  PROFILE      ADDRESS                     AUTH          WALLET  CREDENTIAL
    ────────────────────────────────────────────────────────────────────────────────
          sandbox      built in: no real money                           none needed
          shop         https://orders.example.com  header:X-Key  EUR     command,
                                                                         run when
                                                                         needed
    *     environment  https://orders.example      bearer                key, in
                                                                         ORDERCTL_AP
                                                                         I_KEY
    "
  `)
  expect(wide).toContain('<quiet>USED</>  <quiet>PROFILE</>')
  expect((await screens('profile show shop')).wide).toMatchInlineSnapshot(`
    "
    <quiet>Profile   </>  <strong>shop</>
    <quiet>Address   </>  https://orders.example.com
    <quiet>Auth      </>  header:X-Key
    <quiet>Wallet    </>  EUR
    <quiet>Credential</>  command, run when needed
    "
  `)
})
