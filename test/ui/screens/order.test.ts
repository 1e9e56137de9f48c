// The screens of create, get and get --explain.
import { describe, expect, test } from 'vitest'
import { renderExplanation } from '../../../src/commands/get/explain-screen.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { findCards } from '../../../src/contract/redeem-cards.ts'
import type { Order } from '../../../src/contract/schemas.ts'
import { renderCreated, renderOrderSummary, renderOrderWithCards } from '../../../src/ui/screens/order.ts'
import { readTicket } from '../../../src/ui/screens/ticket.ts'
import { line } from '../../support/embedded.ts'
import { inWords, now, ordered, orderViewOf, ticketOf, viewOf } from '../screens.ts'

const lines = [line('GAME-DE', { quantity: 2 }), 'GAME-JP']

const draw = (order: Order, view = viewOf()): string =>
  renderOrderWithCards(order, orderViewOf(order), view, { cards: 'none' })

describe('a created order', async () => {
  const { created } = await ordered(lines)

  test('at 80 columns', () => {
    expect(renderCreated(created, 'PO-1042', viewOf(80))).toMatchInlineSnapshot(`
      "Order      sbx_4mdc49tnvrc8y0zd
      Reference  PO-1042
      State      ○ created, not confirmed yet, nothing spent
      Total      64.33 USD, unpaid, from the USD wallet (balance)
      Retail     63.45 USD, not charged
      Validity   expires in 9 min, 2023-11-14 23:23:20 UTC+1

      Wallet invoice (charged by confirm)
      SKU      ITEM      DESCRIPTION                         AT                 AMOUNT
      ────────────────────────────────────────────────────────────────────────────────
      GAME-DE  product   2 x Quorvane Games 20 EUR           2 × 20.00 EUR   40.00 EUR
               fee       fee 2.5 %                                            1.00 EUR
               exchange  EUR to USD at 1.0842                1.0842         -41.00 EUR
               exchange  EUR to USD at 1.0842                1.0842          44.45 USD
               subtotal                                                      44.45 USD
      GAME-JP  product   1 x クオルヴェイン ゲームカード     1 × 3,000 JPY   3,000 JPY
                         3000円
               discount  discount 1 %                                          -30 JPY
               exchange  JPY to USD at 0.0066934             0.0066934      -2,970 JPY
               exchange  JPY to USD at 0.0066934             0.0066934       19.88 USD
               subtotal                                                      19.88 USD
      total                                                                  64.33 USD

      Retail invoice (not charged)
      SKU      ITEM      DESCRIPTION                         AT                 AMOUNT
      ────────────────────────────────────────────────────────────────────────────────
      GAME-DE  product   2 x Quorvane Games 20 EUR           2 × 20.00 EUR   40.00 EUR
               exchange  EUR to USD at 1.0842                1.0842         -40.00 EUR
               exchange  EUR to USD at 1.0842                1.0842          43.37 USD
               subtotal                                                      43.37 USD
      GAME-JP  product   1 x クオルヴェイン ゲームカード     1 × 3,000 JPY   3,000 JPY
                         3000円
               exchange  JPY to USD at 0.0066934             0.0066934      -3,000 JPY
               exchange  JPY to USD at 0.0066934             0.0066934       20.08 USD
               subtotal                                                      20.08 USD
      total                                                                  63.45 USD

      Exchange rates (fixed until the order expires)
      RATE                   AS OF
      ──────────────────────────────────────────────────────────
      1 EUR = 1.0842 USD     2023-11-14 23:13:20 UTC+1, 41 s ago
      1 JPY = 0.0066934 USD  2023-11-14 23:13:20 UTC+1, 41 s ago
      "
    `)
  })

  test('has one invoice if both are the same', async () => {
    const { created: plain } = await ordered([line('GAME-US', { quantity: 2 })])
    expect(inWords(renderCreated(plain, 'PO-1042', viewOf(80, true)))).toMatchSnapshot()
  })

  test('that has expired says so', () => {
    const late = { ...viewOf(80), now: created.expiresAt + 3 * 60_000 }
    expect(renderCreated(created, 'PO-1042', late)).toContain(
      'Validity   expired 3 min ago, 2023-11-14 23:23:20 UTC+1\n',
    )
  })

  test('shows no currency that is none', () => {
    const exchangeRates = created.exchangeRates?.map((rate) => ({ ...rate, baseCurrency: 'a card' }))
    expect(renderCreated({ ...created, exchangeRates }, 'PO-1042', viewOf(80))).toContain('1 … = 1.0842 USD')
  })
})

describe('an order', async () => {
  const { order } = await ordered(lines)

  test('at 120 columns, in colour', () => {
    expect(inWords(draw(order, viewOf(120, true)))).toMatchInlineSnapshot(`
      "<quiet>Order    </>  <strong>sbx_4mdc49tnvrc8y0zd</>
      <quiet>Reference</>  PO-1042
      <quiet>State    </>  <good>✓ successful</>, all products succeeded
      <quiet>Total    </>  <strong>64.33 USD</>, paid, from the USD wallet (balance)
      <quiet>Created  </>  2023-11-14 23:13:20 UTC+1, 41 s ago
      <quiet>Changed  </>  2023-11-14 23:13:22 UTC+1, 39 s ago

      <quiet>SKU</>      <quiet>PRODUCT</>                                           <quiet>COUNTRY</>       <quiet>EACH</>  <quiet>ORDERED</>   <quiet>CARDS</>
      <quiet>──────────────────────────────────────────────────────────────────────────────────────────────</>
      GAME-DE  Quorvane Games 20 EUR (fee 2.5%)                  DE       20.00 EUR        2  <good>2 of 2</>
      GAME-JP  クオルヴェイン ゲームカード 3000円 (discount 1%)  JP       3,000 JPY        1  <good>1 of 1</>

      <strong>Invoice</>
      <quiet>SKU</>      <quiet>ITEM</>      <quiet>DESCRIPTION</>                             <quiet>AT</>                 <quiet>AMOUNT</>
      <quiet>────────────────────────────────────────────────────────────────────────────────────</>
      GAME-DE  product   2 x Quorvane Games 20 EUR               2 × 20.00 EUR   40.00 EUR
               fee       fee 2.5 %                                                1.00 EUR
               exchange  EUR to USD at 1.0842                    1.0842         -41.00 EUR
               exchange  EUR to USD at 1.0842                    1.0842          44.45 USD
               <quiet>subtotal</>                                                          44.45 USD
      GAME-JP  product   1 x クオルヴェイン ゲームカード 3000円  1 × 3,000 JPY   3,000 JPY
               discount  discount 1 %                                              -30 JPY
               exchange  JPY to USD at 0.0066934                 0.0066934      -2,970 JPY
               exchange  JPY to USD at 0.0066934                 0.0066934       19.88 USD
               <quiet>subtotal</>                                                          19.88 USD
      <strong>total</>                                                                      <strong>64.33 USD</>

      <strong>Exchange rates</>
      <quiet>RATE</>                   <quiet>AS OF</>
      <quiet>──────────────────────────────────────────────────────────</>
      1 EUR = 1.0842 USD     2023-11-14 23:13:20 UTC+1, 41 s ago
      1 JPY = 0.0066934 USD  2023-11-14 23:13:20 UTC+1, 41 s ago
      "
    `)
  })

  test.each<[string, (repeating: typeof order) => string]>([
    ['the order', (repeating) => draw(repeating)],
    ['its summary', (repeating) => renderOrderSummary(repeating, orderViewOf(repeating), viewOf())],
    ['its explanation', (repeating) => renderExplanation(ticketOf(repeating), viewOf())],
    ['its ticket as JSON', (repeating) => JSON.stringify(readTicket(ticketOf(repeating)))],
  ])('a code in the reference is hidden: %s', (_title, show) => {
    const code = findCards(order.redeem)[0]?.code ?? ''
    const shown = show({ ...order, reference: `PO ${code}` })
    expect(shown).toContain('PO ••••')
    expect(shown).not.toContain(code)
  })

  test('at 60 columns', () => {
    expect(renderOrderSummary(order, orderViewOf(order), viewOf(60))).toMatchInlineSnapshot(`
      "Order      sbx_4mdc49tnvrc8y0zd
      Reference  PO-1042
      State      ✓ successful, all products succeeded
      Total      64.33 USD, paid, from the USD wallet (balance)
      Created    2023-11-14 23:13:20 UTC+1, 41 s ago
      Changed    2023-11-14 23:13:22 UTC+1, 39 s ago

      SKU      PRODUCT         COUNTRY       EACH  ORDERED   CARDS
      ────────────────────────────────────────────────────────────
      GAME-DE  Quorvane Games  DE       20.00 EUR        2  2 of 2
               20 EUR (fee
               2.5%)
      GAME-JP  クオルヴェイン  JP       3,000 JPY        1  1 of 1
               ゲームカード
               3000円
               (discount 1%)
      "
    `)
  })

  test('at 30 columns stands in blocks', () => {
    expect(
      renderOrderSummary(order, orderViewOf(order), viewOf(30)).split('\n\n').slice(1).join('\n\n'),
    ).toMatchInlineSnapshot(`
      "sku: GAME-DE
      product: Quorvane Games 20 EUR
        (fee 2.5%)
      country: DE
      each: 20.00 EUR
      ordered: 2
      cards: 2 of 2

      sku: GAME-JP
      product: クオルヴェイン
        ゲームカード 3000円
        (discount 1%)
      country: JP
      each: 3,000 JPY
      ordered: 1
      cards: 1 of 1
      "
    `)
  })

  test('says the same without colour', () => {
    const coloured = draw(order, viewOf(80, true))
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(draw(order, viewOf(80)))
  })

  test('in a state that nobody documented is shown with a question mark', () => {
    const odd = { ...order, state: 'on_hold' }
    expect(renderOrderSummary(odd, orderViewOf(odd), viewOf())).toContain(
      'State      ? on_hold, an undocumented state, perhaps paid\n',
    )
  })

  test('with records that do not add up says so', () => {
    const wrong = { ...order, invoice: { ...order.invoice, total: decimal('70') } }
    expect(draw(wrong)).toContain('The lines add up to 64.33 USD, which differs from the total.\n')
  })
})

describe('an explanation', () => {
  test('of an order that nobody confirmed', async () => {
    const { pending } = await ordered(['GAME-DE'])
    expect(renderExplanation(ticketOf(pending), viewOf())).toMatchInlineSnapshot(`
      "Order sbx_4mdc49tnvrc8y0zd, reference PO-1042: created, not confirmed so far.
      Created 2023-11-14 22:13:20 UTC.

      What happened
      - GAME-DE (Quorvane Games 20 EUR), 1 ordered at 20.00 EUR: not processed so far.

      Money
      - Confirming the order charges 22.23 USD to the USD wallet. The order is not
        confirmed so far. The invoice's status is 'unpaid'.

      What the service responded
      - get 2023-11-14 22:14:01 UTC: state created, invoice unpaid.

      What to do next
      - Confirm it: orderctl confirm sbx_4mdc49tnvrc8y0zd. Do not order again.
      "
    `)
    const late = now + 3_600_000
    const text = renderExplanation(ticketOf(pending, late), { ...viewOf(), now: late })
    expect(text).toContain('created, not confirmed so far,\nexpired.\n')
    expect(text).not.toContain('What to do next')
  })

  test('of an order that is on its way', async () => {
    const { order } = await ordered(['GAME-DE'], 'USD', 0)
    const text = renderExplanation(ticketOf(order), viewOf())
    expect(text).toContain('1 ordered at 20.00 EUR: no card yet.\n')
    expect(text).toContain(`What to do next
- Wait for it: orderctl watch sbx_4mdc49tnvrc8y0zd
- Do not order again: the money may already be spent.
`)
  })

  test('of a partial order names what is missing and what it cost', async () => {
    const { order } = await ordered(lines)
    const partial = { ...order, state: 'partial', redeem: new Map([...(order.redeem ?? [])].slice(0, 1)) }
    expect(renderExplanation(ticketOf(partial), viewOf())).toMatchInlineSnapshot(`
      "Order sbx_4mdc49tnvrc8y0zd, reference PO-1042: partial, some products failed.
      Created 2023-11-14 22:13:20 UTC. Last changed 2023-11-14 22:13:22 UTC, 2 s
      later.

      What happened
      - GAME-DE (Quorvane Games 20 EUR), 2 ordered at 20.00 EUR: delivered, 2 cards.
      - GAME-JP (クオルヴェイン ゲームカード 3000円), 1 ordered at 3,000 JPY: not
        delivered.

      Cards
      - Card 1, GAME-DE (Quorvane Games 20 EUR): code ending in 1DM2, PIN, serial
        number, link. Expires 2026-11-13 22:13:22 UTC.
      - Card 2, GAME-DE (Quorvane Games 20 EUR): code ending in NRQ8, PIN, serial
        number, link. Expires 2026-11-13 22:13:22 UTC.

      Money
      - The total is 64.33 USD from the USD wallet. The invoice's status is 'paid'.
      - GAME-DE: 44.45 USD of the total.
      - GAME-JP: 19.88 USD of the total.
      - The order does not show refunds.
      - Completely undelivered products cost 19.88 USD. Check the wallet for a refund.

      Who revealed the codes
      - This journal does not have the order.

      What the service responded
      - get 2023-11-14 22:14:01 UTC: state partial, invoice paid.

      What to do next
      - Get the cards: orderctl redeem sbx_4mdc49tnvrc8y0zd --reveal
      - Ask the service about GAME-JP. Give the order id sbx_4mdc49tnvrc8y0zd and the
        reference PO-1042.
      - The order already charged 19.88 USD for them. Order them again only after the
        refund.
      "
    `)
  })

  test('of a failed order', async () => {
    const { order } = await ordered(['GAME-DE'])
    const text = renderExplanation(ticketOf({ ...order, state: 'failed', redeem: new Map() }), viewOf())
    expect(text).toContain('1 ordered at 20.00 EUR: not delivered.\n')
    expect(text).toContain('Completely undelivered products cost 22.23 USD. Check the wallet for a refund.\n')
    expect(text).not.toContain('Get the cards')
  })

  test('quotes an id for the shell', async () => {
    const { order } = await ordered(['GAME-DE'])
    expect(renderExplanation(ticketOf({ ...order, uid: "a b'; rm" }), viewOf())).toContain(
      "orderctl redeem 'a b'\\''; rm' --reveal",
    )
  })
})

test('a wallet called constructor is a wallet', async () => {
  const wallet = 'constructor'
  const { order } = await ordered(lines)
  const other = { ...order, invoice: { ...order.invoice, wallet } }
  expect(draw(other)).toContain('The lines add up to 0')
  expect(renderExplanation(ticketOf(other), viewOf())).toContain(`from the ${wallet} wallet`)
})
