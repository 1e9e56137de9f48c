// Every screen that a person may see, each text on it taken from a supply of foreign ones.
import { decimal } from '../../src/contract/decimal.ts'
import type { Card } from '../../src/contract/redeem-cards.ts'
import type { CreatedOrder, Invoice, Order } from '../../src/contract/schemas.ts'
import { Failure } from '../../src/errors.ts'
import { cardListText } from '../../src/ui/cards/card-list.ts'
import { cardsText, shortfallsText } from '../../src/ui/cards/cards.ts'
import { htmlToText } from '../../src/ui/cards/html-text.ts'
import { instructionsText } from '../../src/ui/cards/instructions.ts'
import { sheetHtml } from '../../src/ui/cards/sheet.ts'
import { createdLine } from '../../src/ui/screens/created-line.ts'
import { explainText } from '../../src/ui/screens/explain.ts'
import { failureFor } from '../../src/ui/screens/failure.ts'
import { invoiceText } from '../../src/ui/screens/invoice.ts'
import { createdText, orderText } from '../../src/ui/screens/order.ts'
import { ordersText, revealsText } from '../../src/ui/screens/orders.ts'
import { profilesText, profileText } from '../../src/ui/screens/profiles.ts'
import { reconciledText } from '../../src/ui/screens/reconciled.ts'
import { requestLines } from '../../src/ui/screens/request-line.ts'
import { sandboxText } from '../../src/ui/screens/sandbox.ts'
import { traceLine } from '../../src/ui/screens/trace-line.ts'
import { changeLine } from '../../src/ui/screens/watch-line.ts'
import { safeJson, safeLines, safeText } from '../../src/ui/terminal/safe-text.ts'
import type { View } from '../../src/ui/terminal/view.ts'
import { offerText } from '../../src/ui/text/candidates.ts'
import { jsonText } from '../../src/ui/text/json.ts'
import { moneyText } from '../../src/ui/text/money.ts'
import { tableText } from '../../src/ui/text/table.ts'
import { clockText, dateText, timeText } from '../../src/ui/text/time.ts'

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

const failureOf = (text: Supply): Failure =>
  new Failure('refused', text(), {
    ...{ field: text(), fix: text(), orderId: text(), violations: [text(), text()] },
  })

const profileOf = (text: Supply) => ({
  ...{ name: text(), current: true, builtIn: false, baseUrl: text(), auth: text(), wallet: text() },
  credential: 'a key',
})

const rowOf = (text: Supply) => ({
  ...{ orderId: text(), reference: text(), state: text(), profile: text(), wallet: text() },
  ...{ total: '3.00', placedAt: now },
})

/** The rooms in which foreign text is made fit to be seen: cheap, and all of them try each text. */
export const makers: Readonly<Record<string, (text: string) => string>> = {
  'on one line': safeText,
  'over lines': safeLines,
  HTML: htmlToText,
  'HTML in a tag': (text) => htmlToText(`<p>${text}</p><img alt="${text}"><a href="https://${text}">x</a>`),
  'as JSON': (text) => safeJson(JSON.stringify({ [text]: text })),
}

/** Whole screens, from as many texts as they have places. */
export const screens: Readonly<Record<string, (text: Supply, view: View) => string>> = {
  'a table': (text, view) =>
    tableText(
      [{ title: 'A' }, { title: 'B', narrow: 'wrap' }, { title: 'C', narrow: 'cut' }],
      [
        [text(), text(), text()],
        [text(), { text: text(), paint: view.theme.bad }, text()],
      ],
      view,
    ),
  'an order': (text, view) => orderText(foreignOrder(text), view),
  'a created order': (text, view) => createdText(createdOrder(text), text(), view),
  'a created line': (text, view) => createdLine(createdOrder(text), text(), view.now),
  'an invoice': (text, view) => invoiceText(invoiceOf(text), view),
  'an explanation': (text, view) => explainText(foreignOrder(text), view),
  'cards, revealed': (text, view) => cardsText([cardOf(text), cardOf(text)], true, view),
  'cards, masked': (text, view) => cardsText([cardOf(text), cardOf(text)], false, view),
  instructions: (text, view) => instructionsText(foreignOrder(text).redeem, true, view),
  'instructions, masked': (text, view) => instructionsText(foreignOrder(text).redeem, false, view),
  shortfalls: (text, { theme }) => shortfallsText([{ sku: text(), ordered: 2, received: 1 }], theme),
  'a failure': (text) => failureFor(failureOf(text), { colour: false }, false),
  'a failure as JSON': (text) => failureFor(failureOf(text), { colour: false }, true),
  'JSON, masked': (text) => jsonText(foreignOrder(text), {}),
  'JSON, revealed': (text) => jsonText(foreignOrder(text), { reveal: true, oneLine: true }),
  'a list of orders': (text, view) => ordersText([rowOf(text), rowOf(text)], view),
  'a list of reveals': (text, view) =>
    revealsText(
      [{ orderId: text(), skus: [text(), text()], profile: text(), who: text(), how: text(), at: now }],
      view,
    ),
  profiles: (text, view) => profilesText([profileOf(text)], view) + profileText(profileOf(text), view),
  'what is reconciled': (text, view) =>
    reconciledText(
      {
        ...{ orderId: text(), reference: text(), was: text(), state: text(), problem: text() },
        isUnproven: false,
      },
      view,
    ),
  'a change': (text, { theme }) => changeLine({ id: text(), state: text(), ms: 3 }, theme),
  'a trace': (text) =>
    traceLine({
      ...{ method: 'GET', url: text(), failure: text(), ms: 1, requestBytes: 2 },
      ...{ orderId: text(), requestId: text() },
    }),
  'a request of serve-mock': (text, { theme }) =>
    requestLines(theme)({
      ...{ at: now, method: 'GET', path: text(), status: 400, ms: 1, orderId: text(), message: text() },
    }),
  'the sandbox': (text, view) =>
    sandboxText(
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
  money: (text) => moneyText(amount, text()),
  moments: (text, view) => timeText(text(), view) + clockText(text(), view) + dateText(text(), view),
  'a mail of cards': (text, view) => cardListText(foreignOrder(text), view),
  'a page of cards': (text, view) => sheetHtml(foreignOrder(text), view),
}

/** What the shells read; a tab stands between a value and its description. */
export const offered = (text: Supply): string =>
  offerText({ candidates: [{ value: text(), description: text() }, { value: text() }] })
