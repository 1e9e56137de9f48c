// Lets the user pick one of the recent orders of the account. Loaded only when a command names no order.

import { Failure, interruption } from '../errors.ts'
import { type Entry, findNewest } from '../journal/orders/entries.ts'
import { hasExpired, type Times } from '../journal/orders/standings.ts'
import { readRequestedProducts } from '../operations/offer.ts'
import type { Choice } from '../ui/prompts/ask.ts'
import { stateText } from '../ui/screens/state.ts'
import { sanitize, widthOf } from '../ui/terminal/text.ts'
import { themeFor } from '../ui/terminal/view.ts'
import { formatRelative } from '../ui/text/formats.ts'
import type { CommandSession } from './open-session.ts'
import { isUsable } from './usable-orders.ts'

const maxRead = 300
const maxListed = 100

export const pickOrder = async (
  { context, journals, owner, clock, serviceNow }: CommandSession,
  command: string,
): Promise<string> => {
  const journal = await journals.openExisting()
  const entries = await findNewest(journal.read, owner, maxRead)
  const pickable = entries.filter((entry) =>
    isPickable(entry, command, { now: clock.now(), serviceNow: serviceNow() }),
  )
  // A batch buys its own orders, and an assistant's order is not the user's choice: they come last.
  const isOther = ({ batch, placedWith }: Entry): number => Number((batch ?? placedWith) !== undefined)
  const usable = pickable.toSorted((one, other) => isOther(one) - isOther(other)).slice(0, maxListed)
  if (usable.length === 0) {
    throw new Failure('usage', "missing required argument 'order', and no recent order fits", {
      fix: (suggest) => suggest`list`,
    })
  }
  const ask = await context.asking()
  const choices = listChoices(usable, clock.now())
  const answer = await ask.text({ message: 'Order', choices, check: () => undefined })
  if (answer === undefined) throw interruption(context.interrupted, 'cancelled; no order was chosen')
  return answer
}

const isPickable = (entry: Entry, command: string, times: Times): boolean => {
  const { orderId, standing } = entry
  if (orderId === undefined || !isUsable(command, entry)) return false
  const isUnconfirmed = standing === 'pending' || standing === 'doubtful'
  // An order that was never confirmed has no cards.
  if (command === 'redeem') return !isUnconfirmed
  return command !== 'confirm' || !isUnconfirmed || !hasExpired(entry, times)
}

/** A longer reference moves the rest of its line. */
const maxNameWidth = 36

/** What is cut off on a narrow terminal comes last. */
const listChoices = (entries: readonly Entry[], now: number): Choice[] => {
  const plain = themeFor({ colour: false })
  const rows = entries.map(({ orderId = '', reference, state, placedAt, ...entry }) => ({
    value: orderId,
    columns: [sanitize(reference ?? orderId), stateText(state, plain), formatRelative(placedAt, now)],
    rest: [describeProducts(entry), reference === undefined ? '' : sanitize(orderId)],
  }))
  const widths = [0, 1, 2].map((column) =>
    Math.min(maxNameWidth, Math.max(...rows.map(({ columns }) => widthOf(columns[column] ?? '')))),
  )
  const pad = (text: string, column: number): string =>
    `${text}${' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(text)))}`
  return rows.map(({ value, columns, rest }) => {
    return { value, name: [...columns.map(pad), ...rest].filter((text) => text !== '').join('  ') }
  })
}

const describeProducts = (entry: Pick<Entry, 'request'>): string =>
  (readRequestedProducts(entry) ?? [])
    .map(({ sku, quantity }) => `${sanitize(sku)}${quantity === 1 ? '' : ` x${quantity}`}`)
    .join(', ')
