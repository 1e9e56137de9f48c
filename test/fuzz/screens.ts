// Every screen, filled with foreign texts.

import { renderExplanation } from '../../src/commands/get/explain-screen.ts'
import { profileFields, renderProfile } from '../../src/commands/profile/screen.ts'
import { renderSandbox } from '../../src/commands/sandbox/screen.ts'
import { createAccessLog } from '../../src/commands/serve-mock/screen.ts'
import { decimal } from '../../src/contract/money/decimal.ts'
import type { Card } from '../../src/contract/redeem-cards.ts'
import type { CreatedOrder, Invoice, Order } from '../../src/contract/schemas.ts'
import { Failure } from '../../src/errors.ts'
import type { Entry } from '../../src/journal/orders/entry.ts'
import { renderCardList, renderCards, renderShortfalls } from '../../src/ui/cards/cards.ts'
import { htmlToText } from '../../src/ui/cards/html-text.ts'
import { renderInstructions } from '../../src/ui/cards/instructions.ts'
import { renderSheet } from '../../src/ui/cards/sheet.ts'
import { maskResponse } from '../../src/ui/masking/mask-response.ts'
import { renderFailure } from '../../src/ui/screens/failure.ts'
import { writeNextStep } from '../../src/ui/screens/next-step.ts'
import { renderCreated, renderInvoice, renderOrderWithCards } from '../../src/ui/screens/order.ts'
import { renderChange, renderCreatedLine } from '../../src/ui/screens/order-line.ts'
import { type ListedOrder, listedFields, revealFields } from '../../src/ui/screens/orders.ts'
import { renderReconciled } from '../../src/ui/screens/reconciled.ts'
import { renderTrace } from '../../src/ui/screens/trace-line.ts'
import { safeLines, sanitize, sanitizeJson } from '../../src/ui/terminal/sanitize.ts'
import type { View } from '../../src/ui/terminal/view.ts'
import { formatMoney } from '../../src/ui/text/amounts.ts'
import { renderCandidates } from '../../src/ui/text/candidates.ts'
import { renderJson } from '../../src/ui/text/json.ts'
import { renderResults } from '../../src/ui/text/result-fields.ts'
import { renderTable } from '../../src/ui/text/table.ts'
import { formatClock, formatDate, formatTime } from '../../src/ui/text/time.ts'
import { suggest } from '../support/suggest.ts'
import { orderViewOf, ticketOf } from '../ui/screens.ts'

export type Supply = () => string

const at = { _seconds: 1_784_894_400, _nanoseconds: 0 }
const amount = decimal('-12.50')
const now = at._seconds * 1_000

const invoiceOf = (text: Supply): Invoice => ({
  ...{ total: decimal('3'), wallet: text(), paymentMethod: text(), status: text() },
  records: [
    {
      total: { [text()]: amount, [text()]: decimal('1') },
      sku: text(),
      items: [
        {
          ...{ type: text(), description: text(), effect: { amount, currency: text() } },
          metaData: { quantity: 2, quote: amount },
        },
        { type: text(), description: text(), effect: { amount, currency: text() } },
      ],
    },
  ],
})

const ratesOf = (text: Supply) => [
  { targetCurrency: text(), baseCurrency: text(), rate: amount, modifiedDate: at },
]

const foreignOrder = (text: Supply): Order => {
  const sku = text()
  const deal = () => ({ amount, adjustmentMode: text() })
  return {
    ...{
      uid: text(),
      state: text(),
      reference: text(),
      exchangeRates: ratesOf(text),
      invoice: invoiceOf(text),
    },
    ...{ createdDate: at, modifiedDate: { ...at, _seconds: at._seconds + 9 } },
    products: new Map([
      [
        sku,
        {
          ...{ sku, request: { quote: amount, quantity: 2 } },
          customerDeal: { dealState: text(), fee: deal(), discount: deal() },
          shopItem: {
            ...{ country: text(), quote: amount, name: text(), region: text() },
            ...{ productType: text(), baseCurrency: text() },
          },
        },
      ],
    ]),
    redeem: new Map<string, unknown>([
      [
        sku,
        {
          redeemInstructions: {
            ...{ tnc: text(), tncHtml: text(), redeem: null, redeemHtml: text(), languageCode: text() },
          },
          cards: [
            {
              ...{
                redeemCardCode: text(),
                redeemPin: text(),
                redeemSerialNumber: text(),
                redeemLink: text(),
              },
              expirationDate: text(),
            },
          ],
          ...{ currency: text(), value: amount },
        },
      ],
      [text(), { redeemPin: [text(), text()], redeemLink: text(), currency: text(), value: 3 }],
    ]),
  }
}

const createdOrder = (text: Supply): CreatedOrder => ({
  ...{ id: text(), exchangeRates: ratesOf(text), expiresAt: now },
  ...{ invoice: invoiceOf(text), retailInvoice: invoiceOf(text) },
})

const cardOf = (text: Supply): Card => ({
  ...{ sku: text(), value: amount, currency: text(), code: text(), pin: text() },
  ...{ serial: text(), link: text(), expires: text() },
})

const failureOf = (text: Supply): Failure => {
  const [message, field, fix] = [text(), text(), text()]
  return new Failure('refused', message, {
    ...{ field, fix: () => fix, advice: text(), orderId: text(), violations: [text(), text()] },
  })
}

const profileOf = (text: Supply) => ({
  ...{ name: text(), current: true, builtIn: false, baseUrl: text(), auth: text(), wallet: text() },
  credential: 'a key',
})

/** Only what a screen shows. */
const rowOf = (text: Supply): ListedOrder => {
  const entry = {
    ...{ orderId: text(), reference: text(), state: text(), profile: text(), wallet: text() },
    ...{ total: '3.00', placedAt: now, products: JSON.stringify([[text(), text(), '3', 2, null, null]]) },
  }
  return {
    entry: entry as Partial<Entry> as Entry,
    view: orderViewOf(foreignOrder(text)),
    ...{ products: [], batch: text(), staleSince: now, undocumentedWord: text() },
    by: { role: text(), user: text(), writtenBy: text() },
  }
}

/** The functions that clean foreign text. Fast, so each text is tried with all of them. */
export const sanitizers: Readonly<Record<string, (text: string) => string>> = {
  'on one line': sanitize,
  'over lines': safeLines,
  HTML: htmlToText,
  'HTML in a tag': (text) => htmlToText(`<p>${text}</p><img alt="${text}"><a href="https://${text}">x</a>`),
  'as JSON': (text) => sanitizeJson(JSON.stringify({ [text]: text })),
}

/** Whole screens, with a text in each field. */
export const screens: Readonly<Record<string, (text: Supply, view: View) => string>> = {
  'a table': (text, view) =>
    renderTable(
      [{ title: 'A' }, { title: 'B', narrow: 'wrap' }, { title: 'C', narrow: 'cut' }],
      [
        [text(), text(), text()],
        [text(), { text: text(), paint: view.theme.bad }, text()],
      ],
      view,
    ),
  'an order': (text, view) => {
    const order = foreignOrder(text)
    return renderOrderWithCards(order, orderViewOf(order), view, { cards: 'none' })
  },
  'a created order': (text, view) => renderCreated(createdOrder(text), text(), view),
  'a created line': (text, view) =>
    renderCreatedLine(createdOrder(text), text(), view.now, { isTerminal: true, width: view.width }),
  'an invoice': (text, view) => renderInvoice(invoiceOf(text), view),
  'an explanation': (text, view) => renderExplanation(ticketOf(foreignOrder(text)), view),
  'cards, revealed': (text, view) => renderCards([cardOf(text), cardOf(text)], true, view),
  'cards, masked': (text, view) => renderCards([cardOf(text), cardOf(text)], false, view),
  instructions: (text, view) => renderInstructions(foreignOrder(text).redeem, true, view),
  'instructions, masked': (text, view) => renderInstructions(foreignOrder(text).redeem, false, view),
  shortfalls: (text, { theme }) => renderShortfalls([{ sku: text(), ordered: 2, received: 1 }], theme),
  'a failure': (text) => renderFailure(failureOf(text), { stderr: { colour: false }, suggest }, false),
  'a failure as JSON': (text) => renderFailure(failureOf(text), { stderr: { colour: false }, suggest }, true),
  'JSON, masked': (text) => renderJson(maskResponse(foreignOrder(text))),
  'JSON, revealed': (text) => renderJson(foreignOrder(text), { oneLine: true }),
  'a list of orders': (text, view) => renderResults(listedFields, [rowOf(text), rowOf(text)], view),
  'a list of reveals': (text, view) =>
    renderResults(
      revealFields,
      [
        {
          orderId: text(),
          skus: [text(), text()],
          profile: text(),
          who: text(),
          how: text() as 'copy',
          at: now,
          origin: text(),
          by: undefined,
        },
      ],
      view,
    ),
  profiles: (text, view) =>
    renderResults(profileFields, [profileOf(text)], view) + renderProfile(profileOf(text), view),
  'what is reconciled': (text, view) =>
    renderReconciled(
      {
        ...{ ...rowOf(text), was: text(), problem: text() },
        view: orderViewOf(foreignOrder(text)),
        next: writeNextStep(orderViewOf(foreignOrder(text)), { orderId: text(), batch: text() }, suggest),
      },
      view,
    ),
  'a change': (text, { theme }) =>
    renderChange({ id: text(), state: text(), view: orderViewOf(foreignOrder(text)), ms: 3 }, theme),
  'a trace': (text) =>
    renderTrace({
      ...{ method: 'GET', url: text(), failure: text(), ms: 1, requestBytes: 2 },
      ...{ orderId: text(), requestId: text() },
    }),
  'a request of serve-mock': (text, { theme }) => {
    const { renderRequest, renderAttempt } = createAccessLog(theme)
    const attempt = renderAttempt({
      ...{ at: now, origin: text(), id: text(), orderId: text(), event: 'final', number: 1, ms: 1 },
      ...{ error: text(), state: 'pending', retryInMs: 1 },
    })
    const request = { at: now, method: 'GET', path: text(), status: 400, ms: 1 }
    return attempt + renderRequest({ ...request, orderId: text(), message: text() })
  },
  'the sandbox': (text, view) =>
    renderSandbox(
      {
        wallets: [{ currency: text(), balance: 3 }],
        stock: [],
        products: [{ sku: text(), name: text(), currency: text(), quote: 3 }],
        orders: [
          {
            ...{ id: text(), reference: text(), state: text(), wallet: text(), total: 3 },
            createdAt: text(),
          },
        ],
      },
      view,
    ),
  money: (text) => formatMoney(amount, text()),
  moments: (text, view) => formatTime(text(), view) + formatClock(text(), view) + formatDate(text(), view),
  'a mail of cards': (text, view) => renderCardList(foreignOrder(text), view),
  'a page of cards': (text, view) => renderSheet(foreignOrder(text), view),
}

/** The lines that the shells read, with a tab between a value and its description. */
export const completionLines = (text: Supply): string =>
  renderCandidates({ candidates: [{ value: text(), description: text() }, { value: text() }] })
