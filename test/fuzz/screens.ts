// Every screen, filled with foreign texts.

import { renderCandidates } from '../../src/commands/completion/complete.ts'
import { renderExplanation } from '../../src/commands/explain/run.ts'
import { profileFields, renderProfile } from '../../src/commands/profile/run.ts'
import { renderSandbox } from '../../src/commands/sandbox/run.ts'
import { createAccessLog } from '../../src/commands/serve-mock/run.ts'
import { readJson } from '../../src/contract/json.ts'
import { decimal, isDecimal } from '../../src/contract/money/decimal.ts'
import { createdExample, orderExample } from '../../src/contract/openapi/examples.ts'
import type { Card } from '../../src/contract/order/redeem-cards.ts'
import { type CreatedOrder, createResponse, getResponse, type Order } from '../../src/contract/schemas.ts'
import { Failure } from '../../src/errors.ts'
import type { Entry } from '../../src/journal/orders/entries.ts'
import { htmlToText, renderCards, renderInstructions, renderShortfalls } from '../../src/ui/cards/cards.ts'
import { maskResponse } from '../../src/ui/masking/mask-response.ts'
import { renderFailure } from '../../src/ui/screens/failure.ts'
import { renderCreated, renderInvoice, renderOrderWithCards } from '../../src/ui/screens/order.ts'
import { renderChange, renderCreatedLine } from '../../src/ui/screens/order-line.ts'
import { listedFields, type OrderFacts, renderReconciled } from '../../src/ui/screens/orders.ts'
import { writeSuggestion } from '../../src/ui/screens/state.ts'
import { revealFields } from '../../src/ui/screens/ticket.ts'
import { safeLines, sanitize, sanitizeJson } from '../../src/ui/terminal/text.ts'
import type { View } from '../../src/ui/terminal/view.ts'
import { formatClock, formatDate, formatMoney, formatTime, renderTrace } from '../../src/ui/text/formats.ts'
import { renderJson, renderResults } from '../../src/ui/text/result-fields.ts'
import { renderTable } from '../../src/ui/text/table.ts'
import { renderCardList, renderSheet } from '../support/exported.ts'
import { readValid } from '../support/read-valid.ts'
import { suggest } from '../support/suggest.ts'
import { orderViewOf, ticketOf } from '../ui/screens.ts'

export type Supply = () => string

const amount = decimal('-12.50')
const now = 1_784_894_400_000

/** The value with a foreign text for each of its texts, and for each key of a map and of a total. */
const fill = <Value>(value: Value, text: Supply): Value => {
  const fillKeys = (entries: Iterable<[string, unknown]>): [string, unknown][] =>
    Array.from(entries, ([, each]) => [text(), fill(each, text)])
  const fillAny = (each: unknown, key = ''): unknown => {
    if (typeof each === 'string') return text()
    if (typeof each !== 'object' || each === null || isDecimal(each)) return each
    if (Array.isArray(each)) return each.map((item) => fillAny(item))
    if (each instanceof Map) return new Map(fillKeys(each))
    const entries = Object.entries(each)
    if (key === 'total') return Object.fromEntries(fillKeys(entries))
    return Object.fromEntries(entries.map(([name, item]) => [name, fillAny(item, name)]))
  }
  return fillAny(value) as Value
}

const example = readValid(getResponse, readJson(JSON.stringify(orderExample))).data
const created = readValid(createResponse, readJson(JSON.stringify(createdExample))).data
const instructions = { tnc: '', tncHtml: '', redeem: null, redeemHtml: '', languageCode: '' }
const fields = {
  redeemCardCode: '',
  redeemPin: '',
  redeemSerialNumber: '',
  redeemLink: '',
  expirationDate: '',
}
const redeemCards = { redeemInstructions: instructions, cards: [fields], currency: '', value: amount }
const [redeemPins] = [...(example.redeem?.values() ?? [])]

/** An order with a card of each shape. The first card is of its product. */
const foreignOrder = (text: Supply): Order => {
  const sku = text()
  const [product] = fill([...example.products.values()], text)
  if (product === undefined) throw new Error('the example has a product')
  return {
    ...fill(example, text),
    products: new Map([[sku, { ...product, sku }]]),
    redeem: new Map<string, unknown>([
      [sku, fill(redeemCards, text)],
      [text(), fill(redeemPins, text)],
    ]),
  }
}

const createdOrder = (text: Supply): CreatedOrder => fill(created, text)

const card = { sku: '', value: amount, currency: '', code: '', pin: '', serial: '', link: '', expires: '' }
const cardsOf = (text: Supply): Card[] => fill([card, card], text)

const renderFailureOf = (text: Supply, asJson: boolean): string => {
  const [message, field, fix] = [text(), text(), text()]
  const failure = new Failure('refused', message, {
    ...{ field, fix: () => fix, advice: text(), orderId: text(), violations: [text(), text()] },
  })
  return renderFailure(failure, { stderr: { colour: false }, suggest }, asJson)
}

const profileOf = (text: Supply) => ({
  ...fill({ name: '', current: true, builtIn: false, baseUrl: '', auth: '', wallet: '' }, text),
  credential: 'a key',
})

/** Only what a screen shows. */
const rowOf = (text: Supply): OrderFacts & { readonly entry: Entry } => {
  const entry = {
    ...fill({ orderId: '', reference: '', state: '', profile: '', wallet: '' }, text),
    ...{ total: '3.00', placedAt: now, products: JSON.stringify([[text(), text(), '3', 2, null, null]]) },
  }
  return {
    entry: entry as Partial<Entry> as Entry,
    view: orderViewOf(foreignOrder(text)),
    ...{ products: [], batch: { id: text(), name: text() }, staleSince: now, undocumentedWord: text() },
    expiresAt: now,
    by: fill({ role: '', user: '', host: '', writtenBy: '' }, text),
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
  'an invoice': (text, view) => renderInvoice(createdOrder(text).invoice, view),
  'an explanation': (text, view) => renderExplanation(ticketOf(foreignOrder(text)), view),
  'cards, revealed': (text, view) => renderCards(cardsOf(text), true, view),
  'cards, masked': (text, view) => renderCards(cardsOf(text), false, view),
  instructions: (text, view) => renderInstructions(foreignOrder(text).redeem, true, view),
  'instructions, masked': (text, view) => renderInstructions(foreignOrder(text).redeem, false, view),
  shortfalls: (text, { theme }) => renderShortfalls([{ sku: text(), ordered: 2, received: 1 }], theme),
  'a failure': (text) => renderFailureOf(text, false),
  'a failure as JSON': (text) => renderFailureOf(text, true),
  'JSON, masked': (text) => renderJson(maskResponse(foreignOrder(text))),
  'JSON, revealed': (text) => renderJson(foreignOrder(text), { oneLine: true }),
  'a list of orders': (text, view) => renderResults(listedFields, [rowOf(text), rowOf(text)], view),
  'a list of reveals': (text, view) => {
    const reveal = fill(
      { orderId: '', skus: ['', ''], profile: '', who: '', how: '', at: now, origin: '' },
      text,
    )
    return renderResults(revealFields, [{ ...reveal, how: reveal.how as 'copy', by: undefined }], view)
  },
  profiles: (text, view) =>
    renderResults(profileFields, [profileOf(text)], view) + renderProfile(profileOf(text), view),
  'what is reconciled': (text, view) => {
    const order = orderViewOf(foreignOrder(text))
    const next = writeSuggestion(order, fill({ orderId: '', batch: '' }, text), suggest)
    const row = { ...rowOf(text), was: text(), problem: text() }
    return renderReconciled({ ...row, view: order, next }, view)
  },
  'a change': (text, { theme }) =>
    renderChange({ id: text(), state: text(), view: orderViewOf(foreignOrder(text)), ms: 3 }, theme),
  'a trace': (text) => {
    const texts = fill({ url: '', failure: '', orderId: '', requestId: '' }, text)
    return renderTrace({ ...texts, method: 'GET', ms: 1, requestBytes: 2 })
  },
  'a request of serve-mock': (text, { theme }) => {
    const { renderRequest, renderAttempt } = createAccessLog(theme)
    const attempt = fill({ at: now, origin: '', id: '', orderId: '', number: 1, ms: 1, error: '' }, text)
    const request = fill({ at: now, path: '', status: 400, ms: 1, orderId: '', message: '' }, text)
    return (
      renderAttempt({ ...attempt, event: 'final', state: 'pending', retryInMs: 1 }) +
      renderRequest({ ...request, method: 'GET' })
    )
  },
  'the sandbox': (text, view) => {
    const sandbox = {
      wallets: [{ currency: '', balance: 3 }],
      products: [{ sku: '', name: '', currency: '', quote: 3 }],
      orders: [{ id: '', reference: '', state: '', wallet: '', total: 3, createdAt: '' }],
    }
    return renderSandbox({ ...fill(sandbox, text), stock: [] }, view)
  },
  money: (text) => formatMoney(amount, text()),
  moments: (text, view) => formatTime(text(), view) + formatClock(text(), view) + formatDate(text(), view),
  'a mail of cards': (text, view) => renderCardList(foreignOrder(text), view),
  'a page of cards': (text, view) => renderSheet(foreignOrder(text), view),
}

/** The lines that the shells read, with a tab between a value and its description. */
export const completionLines = (text: Supply): string =>
  renderCandidates({ candidates: [{ value: text(), description: text() }, { value: text() }] })
