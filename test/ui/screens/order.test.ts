// The screens of create, get and get --explain, with odd orders. create.session and get/*.session show them.
import { describe, expect, test } from 'vitest'
import { joinResponse } from '../../../src/app/output/show-order.ts'
import { renderExplanation } from '../../../src/commands/explain/run.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { findCards } from '../../../src/contract/order/redeem-cards.ts'
import type { Order } from '../../../src/contract/schemas.ts'
import { renderCreated, renderOrderSummary, renderOrderWithCards } from '../../../src/ui/screens/order.ts'
import { ticketFields } from '../../../src/ui/screens/ticket.ts'
import { readFields } from '../../../src/ui/text/result-fields.ts'
import { line } from '../../support/embedded.ts'
import { inWords, now, ordered, orderViewOf, ticketOf, viewOf } from '../screens.ts'

const lines = [line('GAME-DE', { quantity: 2 }), 'GAME-JP']

const draw = (order: Order, view = viewOf()): string =>
  renderOrderWithCards(order, orderViewOf(order), view, { cards: 'none' })

const readTicket = (order: Order): string => {
  const row = joinResponse(undefined, { data: order, view: orderViewOf(order) }, { isRevealed: false })
  return JSON.stringify(readFields(ticketFields, { ...row, ticket: ticketOf(order) }))
}

describe('a created order', async () => {
  const { created } = await ordered(lines)

  test('that has expired says so', () => {
    const late = { ...viewOf(80, true), now: created.expiresAt + 3 * 60_000 }
    expect(inWords(renderCreated(created, 'PO-1042', late))).toContain(
      '<bad>expired 3 min ago</>, 2023-11-14 23:23:20 UTC+1\n',
    )
  })

  test('shows no currency that is none', () => {
    const exchangeRates = created.exchangeRates?.map((rate) => ({ ...rate, baseCurrency: 'a card' }))
    expect(renderCreated({ ...created, exchangeRates }, 'PO-1042', viewOf(80))).toContain('1 … = 1.0842 USD')
  })
})

describe('an order', async () => {
  const { order } = await ordered(lines)

  test('and its summary, explanation and ticket hide a code in the reference', () => {
    const code = findCards(order.redeem)[0]?.code ?? ''
    const given = { ...order, reference: `PO ${code}` }
    for (const shown of [
      ...[draw(given), renderOrderSummary(given, orderViewOf(given), viewOf())],
      ...[renderExplanation(ticketOf(given), viewOf()), readTicket(given)],
    ]) {
      expect(shown).toContain('PO ••••')
      expect(shown).not.toContain(code)
    }
  })

  test('has colours that only repeat the text', () => {
    const coloured = draw(order, viewOf(80, true))
    for (const text of ['<good>✓ successful</>', '<good>2 of 2</>', '<strong>64.33 USD</>'])
      expect(inWords(coloured)).toContain(text)
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(draw(order, viewOf(80)))
  })

  test('in a state that nobody documented, or with records that do not add up, says so', () => {
    const odd = { ...order, state: 'on_hold' }
    const state = 'State      ? on_hold, an undocumented state, perhaps paid\n'
    expect(renderOrderSummary(odd, orderViewOf(odd), viewOf())).toContain(state)
    const wrong = { ...order, invoice: { ...order.invoice, total: decimal('70') } }
    expect(draw(wrong)).toContain('The lines add up to 64.33 USD, which differs from the total.\n')
  })
})

describe('an explanation', () => {
  test('of an order that expired unconfirmed names no next step', async () => {
    const { pending } = await ordered(['GAME-DE'])
    const late = now + 3_600_000
    const text = renderExplanation(ticketOf(pending, late), { ...viewOf(), now: late })
    expect(text).toContain('created, not confirmed so far,\nexpired.\n')
    expect(text).not.toContain('What to do next')
  })
})

test('a wallet called constructor is a wallet', async () => {
  const wallet = 'constructor'
  const { order } = await ordered(lines)
  const other = { ...order, invoice: { ...order.invoice, wallet } }
  expect(draw(other)).toContain('The lines add up to 0')
  expect(renderExplanation(ticketOf(other), viewOf())).toContain(`from the ${wallet} wallet`)
})
