// No masked output shows a code, wherever the response repeats it.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderExplanation } from '../../src/commands/get/explain-screen.ts'
import { readJson } from '../../src/contract/json.ts'
import { findCards } from '../../src/contract/redeem-cards.ts'
import { getResponse, type Order } from '../../src/contract/schemas.ts'
import { renderCards } from '../../src/ui/cards/cards.ts'
import { renderInstructions } from '../../src/ui/cards/instructions.ts'
import { maskResponse } from '../../src/ui/masking/mask-response.ts'
import { renderOrderWithCards } from '../../src/ui/screens/order.ts'
import { themeFor, type View } from '../../src/ui/terminal/view.ts'
import { renderJson } from '../../src/ui/text/json.ts'
import { readValid } from '../support/read-valid.ts'
import { suggest } from '../support/suggest.ts'
import { orderViewOf, ticketOf } from '../ui/screens.ts'
import { findShownValues } from './find-cards.ts'
import { gotAnswer } from './responses.ts'
import { checkProperty } from './runs.ts'

const view: View = {
  ...{ now: Date.UTC(2026, 6, 24, 13), timeZone: 'UTC', width: 300 },
  theme: themeFor({ colour: false }),
  suggest,
}

const masked: readonly (readonly [string, (order: Order) => string])[] = [
  ['the JSON of an order', (order) => renderJson(maskResponse(order))],
  ['the JSON of an order on one line', (order) => renderJson(maskResponse(order), { oneLine: true })],
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

test.each(masked)('%s tells none', { timeout: 1_800_000 }, (_name, draw) => {
  checkProperty(
    fc.property(gotAnswer, ({ document, cards }) => {
      const order = readValid(getResponse, readJson(JSON.stringify(document))).data
      expect(findShownValues(draw(order), cards)).toEqual([])
    }),
    { quick: 15, full: 10_000 },
  )
})
