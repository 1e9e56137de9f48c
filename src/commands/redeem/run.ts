// The steps of `orderctl redeem`: options → destination → order → its cards → shown, drawn, copied or exported.

import { selectCards } from '../../app/clipboard.ts'
import { writeNote } from '../../app/notes.ts'
import { findOrderId, requireOrder } from '../../app/order-ids.ts'
import { outputFor } from '../../app/output/output.ts'
import { warnOfOrder } from '../../app/output/reveal.ts'
import { findNextStep } from '../../app/output/show-order.ts'
import { type CommandSession, openSession } from '../../app/session.ts'
import type { Context } from '../../context.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import { exitCodes } from '../../exit-codes.ts'
import { hasCodes } from '../../operations/evidence.ts'
import { type ReadOrder, readOrder } from '../../operations/read.ts'
import { describeNumbers, type OwnedCard } from '../../ui/cards/card-fields.ts'
import { renderShortfalls } from '../../ui/cards/cards.ts'
import { themeFor, viewOf } from '../../ui/terminal/view.ts'
import { createNoCardsFailure, type Deliver, drawCards, exportTo, printCards, selectSkus } from './cards.ts'
import type { RedeemOptions } from './spec.ts'

/** Returns the exit code. */
export const redeem = async (context: Context, options: RedeemOptions): Promise<number> => {
  requireOrder(context, 'redeem', options.order !== undefined, options)
  await using cleanup = new AsyncDisposableStack()
  // Fails before any call if the file or the clipboard cannot be used.
  let deliver: Deliver = options.qr ? drawCards : printCards
  if (options.export !== undefined) deliver = exportTo(context, options.export, options, cleanup)
  else if (options.copy) deliver = (await import('./copy.ts')).copyTo(context, cleanup)
  await using session = await openSession(context, options)
  const seen = await readOrder(session, await findOrderId(session, 'redeem', options.order))
  const { data: whole, view } = seen
  const order = selectSkus(whole, options.sku)
  const all = await listOwned(session, seen)
  const cards = all.filter(({ sku }) => order.redeem?.has(sku))
  // Before a confirm, a link or an empty card is a template.
  if (cards.length === 0 || (view.money !== 'spent' && !hasCodes(order)))
    throw createNoCardsFailure({ ...seen, data: order }, await findNextStep(session, seen))
  const chosen = selectCards(cards, options.card, order.uid)
  await deliver({
    session,
    options,
    order: { ...order, cards },
    whole,
    chosen,
    view: viewOf(context, session.serviceNow()),
    output: outputFor(context, options, { session }),
  })
  const owned = chosen.filter(({ card }) => card.row !== undefined)
  // Only these show no rows.
  if (owned.length > 0 && (options.only !== undefined || options.qr || options.copy))
    writeNote(
      context,
      `Rows of a batch already use ${describeNumbers(owned)}. Do not hand out a card twice.\n`,
    )
  const hasDuplicates = warnOfOrder(session, { data: order, view })
  const missing = view.shortfalls.filter(({ sku }) => order.products.has(sku))
  writeNote(context, renderShortfalls(missing, themeFor(context.stderr)))
  return hasDuplicates || missing.length > 0 ? exitCodes.partial.code : exitCodes.ok.code
}

/** All cards of the order. Those that belong to a row of its batch say to which. */
const listOwned = async (session: CommandSession, { data, known, cards = [] }: ReadOrder) => {
  const all: readonly OwnedCard[] = findCards(data.redeem)
  const entry = known?.entry
  if (entry?.batch === undefined) return all
  let rows: readonly (string | undefined)[] = []
  await session.journals.attempt('the rows of the cards were not read', async ({ read }) => {
    const { nameRows } = await import('../../operations/batch/delivery.ts')
    rows = await nameRows(read, entry, cards)
  })
  return all.map((card, index) => ({ ...card, row: rows[index] }))
}
