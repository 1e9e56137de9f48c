// No card is lost, whatever its shape: each value appears in each output format. No masked output shows one.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joinResponse } from '../../src/app/output/show-order.ts'
import { renderExplanation } from '../../src/commands/explain/run.ts'
import { readJson } from '../../src/contract/json.ts'
import { countReceived, findCards } from '../../src/contract/order/redeem-cards.ts'
import { getResponse, type Order } from '../../src/contract/schemas.ts'
import { renderCards, renderInstructions } from '../../src/ui/cards/cards.ts'
import { maskResponse } from '../../src/ui/masking/mask-response.ts'
import { renderOrderWithCards } from '../../src/ui/screens/order.ts'
import { orderFields } from '../../src/ui/screens/orders.ts'
import { ticketFields } from '../../src/ui/screens/ticket.ts'
import { themeFor, type View } from '../../src/ui/terminal/view.ts'
import { readFields, renderJson } from '../../src/ui/text/result-fields.ts'
import { renderCardList, renderCsv, renderSheet } from '../support/exported.ts'
import { readValid } from '../support/read-valid.ts'
import { suggest } from '../support/suggest.ts'
import { orderViewOf, ticketOf } from '../ui/screens.ts'
import { entryOf, shapes } from './cards.ts'
import {
  expectAllInCsv,
  expectAllInJson,
  expectAllInPage,
  expectAllInText,
  findShownValues,
  kinds,
} from './find-cards.ts'
import { gotAnswer, type Response } from './responses.ts'
import { checkProperty } from './runs.ts'

const timeout = 1_800_000
const here = { now: Date.UTC(2026, 6, 24, 13), timeZone: 'UTC' }

/** Reads the document as the client does. */
const orderIn = ({ document }: Response): Order =>
  readValid(getResponse, readJson(JSON.stringify(document))).data

test.each(Object.keys(shapes))('in the shape: %s', (name) => {
  checkProperty(
    fc.property(entryOf('GAME-DE', { currency: 'EUR', value: 20 }, name), ({ entry, cards }) => {
      const found = findCards(JSON.parse(JSON.stringify({ 'GAME-DE': entry })))
      const bare = found.map((card) => kinds.map((kind) => card[kind]))
      expect(bare).toEqual(cards.map((card) => kinds.map((kind) => card[kind])))
    }),
    { quick: 10, full: 2_000 },
  )
})

describe('of a whole order, each card is', () => {
  const forms: readonly (readonly [string, (order: Order, cards: Response['cards']) => void])[] = [
    ['in its JSON', ({ redeem }, cards) => expectAllInJson(renderJson({ redeem }), cards)],
    ['in a table of a spreadsheet', (order, cards) => expectAllInCsv(renderCsv(order), cards)],
    ['in a text', (order, cards) => expectAllInText(renderCardList(order, here), cards)],
    ['on a page', (order, cards) => expectAllInPage(renderSheet(order, here), cards)],
    [
      'counted',
      (order, cards) => {
        const counted = Array.from(order.products, ([sku, { request }]) => ({
          sku,
          ordered: request.quantity,
          received: cards.filter((card) => card.sku === sku).length,
        }))
        expect(countReceived(order)).toEqual(counted)
      },
    ],
  ]
  test.each(forms)('%s', { timeout }, (_name, check) => {
    checkProperty(
      fc.property(gotAnswer, (response) => check(orderIn(response), response.cards)),
      { quick: 20, full: 10_000 },
    )
  })
})

const view: View = { ...here, width: 300, theme: themeFor({ colour: false }), suggest }

const rowOf = (order: Order) =>
  joinResponse(undefined, { data: order, view: orderViewOf(order) }, { isRevealed: false })

const masked: readonly (readonly [string, (order: Order) => string])[] = [
  ['the JSON of an order', (order) => renderJson(readFields(orderFields, rowOf(order)))],
  ['the JSON of a response on one line', (order) => renderJson(maskResponse(order), { oneLine: true })],
  [
    'the JSON of a ticket',
    (order) => renderJson(readFields(ticketFields, { ...rowOf(order), ticket: ticketOf(order) })),
  ],
  [
    'the JSON of each of its fields',
    (order) =>
      Object.keys(order)
        .map((key) => renderJson(maskResponse({ [key]: order[key] }, order)))
        .join(''),
  ],
  ['its redeem data as JSON', (order) => renderJson(maskResponse({ redeem: order.redeem }, order))],
  [
    'the screen of an order',
    (order) => renderOrderWithCards(order, orderViewOf(order), view, { cards: 'masked' }),
  ],
  ['what happened to it in words', (order) => renderExplanation(ticketOf(order), view)],
  ['the table of its cards', ({ redeem }) => renderCards(findCards(redeem), false, view)],
  ['how they are redeemed', ({ redeem }) => renderInstructions(redeem, false, view)],
]

test.each(masked)('no code is shown, wherever the response repeats it, in %s', { timeout }, (_name, draw) => {
  checkProperty(
    fc.property(gotAnswer, (response) => {
      expect(findShownValues(draw(orderIn(response)), response.cards)).toEqual([])
    }),
    { quick: 15, full: 10_000 },
  )
})
