// What the screens are drawn from: orders of the embedded service, at a fixed moment, colours as words.
import { readJson } from '../../src/contract/json.ts'
import { findCards } from '../../src/contract/order/redeem-cards.ts'
import { createResponse, getResponse } from '../../src/contract/schemas.ts'
import { type OrderView, viewOrder } from '../../src/operations/view.ts'
import type { Ticket } from '../../src/ui/screens/ticket.ts'
import { themeFor, type View } from '../../src/ui/terminal/view.ts'
import { type Line, openService } from '../support/embedded.ts'
import { startTime } from '../support/manual-clock.ts'
import { readValid } from '../support/read-valid.ts'
import { suggest } from '../support/suggest.ts'

export const now = startTime + 41_000

export const viewOf = (width = 80, colour = false): View => ({
  now,
  timeZone: 'Europe/Berlin',
  width,
  theme: themeFor({ colour }),
  suggest,
})

const names: Readonly<Record<string, string>> = {
  1: 'strong',
  2: 'quiet',
  31: 'bad',
  32: 'good',
  33: 'warning',
}

/** `<good>✓ successful</>`: colours that a reviewer can read. */
export const inWords = (text: string): string =>
  text.replace(/\u001b\[(\d+)m/g, (_, code) => `<${names[code] ?? '/'}>`)

const dataOf = (text: string): unknown => (readJson(text) as { data: unknown }).data

export const ordered = async (lines: readonly (string | Line)[], wallet = 'USD', afterMs = 40_000) => {
  await using service = await openService()
  const made = await service.create(lines, { wallet, reference: 'PO-1042' })
  const fresh = await service.get(made.data.id)
  await service.confirm(made.data.id)
  service.clock.advance(afterMs)
  const got = await service.get(made.data.id)
  return {
    created: readValid(createResponse, readJson(made.text)).data,
    pending: readValid(getResponse, readJson(fresh.text)).data,
    order: readValid(getResponse, readJson(got.text)).data,
    /** The documented `data`, as it came. */
    raw: dataOf(got.text),
  }
}

/** The view of an order that is not in the journal, as a `get` shows it. */
export const orderViewOf = (order: Ticket['order'], at = now): OrderView =>
  viewOrder(
    undefined,
    { kind: 'done', data: order, message: '' },
    { now: at, serviceNow: at, wants: 'shown' },
  )

/** The ticket about all cards of an order that is not in the journal. */
export const ticketOf = (order: Ticket['order'], at = now): Ticket => ({
  order,
  view: orderViewOf(order, at),
  cards: findCards(order.redeem).map((card, index) => ({ number: index + 1, card })),
  isOneCard: false,
  history: undefined,
})
