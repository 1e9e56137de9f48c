// Finishes confirmed orders: final state, cards or refund, and the webhooks that announce them.

import { decimal } from '../contract/money/decimal.ts'
import { isFinal } from '../contract/states.ts'
import type { Clock } from '../contract/time.ts'
import { dayMs } from '../contract/time.ts'
import { createCardFactory, type NewCard } from './cards.ts'
import type { Catalogue, cardFields, RedeemShape } from './catalogue.ts'
import { decideOutcome } from './lifecycle.ts'
import { writeResponseOrder } from './order-text.ts'
import { type OrderRow, readOrderLines, type Store, type StoredLine } from './store.ts'

export type FinishSettings = {
  readonly catalogue: Catalogue
  /** Overrides the shape of every product. */
  readonly redeemShape?: RedeemShape | undefined
  /** Spec silent: whether a second webhook is sent when the order is final. */
  readonly finalWebhook: boolean
  /** Called when a webhook is added to the outbox. */
  readonly onDelivery: () => void
}

export type Finisher = ReturnType<typeof createFinisher>

export const createFinisher = (store: Store, clock: Clock, settings: FinishSettings) => {
  const createCard = createCardFactory(store.seed)

  const enqueueWebhook = (before: OrderRow, event: 'confirmed' | 'final', at: number): void => {
    if (before.webhook_url === null) return
    // The payload needs the new state.
    const payload = writeResponseOrder(store.orders.find(before.id) ?? before)
    const delivery = { id: `msg_${clock.newId()}`, orderId: before.id, event, url: before.webhook_url, at }
    store.deliveries.enqueue({ ...delivery, payload })
    settings.onDelivery()
  }

  /** Returns the number of the next card. */
  const finish = (row: OrderRow, at: number, firstCard: number): number => {
    let nextCard = firstCard
    const lines = readOrderLines(row)
    const { state, delivered, refunded } = decideOutcome(lines, row.forced ?? undefined)
    const redeem = new Map<string, unknown>()
    let refund = 0
    for (const line of lines) {
      if (refunded.has(line.sku)) refund += line.charge
      if (!delivered.has(line.sku)) continue
      const cards = Array.from({ length: line.quantity }, (_, index) => createCard(nextCard + index))
      nextCard += line.quantity
      redeem.set(line.sku, createRedeemData(line, cards, at, settings))
    }
    if (refund > 0) store.refund(row.number, row.wallet, refund, at)
    const text = redeem.size === 0 ? null : JSON.stringify(Object.fromEntries(redeem))
    store.orders.finish(row.number, state, text)
    if (settings.finalWebhook && isFinal(state)) enqueueWebhook(row, 'final', at)
    return nextCard
  }

  /**
   * Reads the orders in the transaction that finishes them, because a different process may finish them too. Also counts
   * the cards once for all orders: a statement for each line would take 5 % of a confirm.
   */
  const finishAll = (list: () => readonly (OrderRow | undefined)[]): number =>
    store.transaction(() => {
      const rows = list()
      let nextCard = store.readNextCard()
      for (const row of rows)
        if (row?.finished === 0 && row.final_at !== null) nextCard = finish(row, row.final_at, nextCard)
      store.setNextCard(nextCard)
      return rows.length
    })

  return {
    enqueueWebhook,

    /** Finishes up to 100 orders that are due and returns their number. */
    finishDue: (now: number): number =>
      (store.orders.findNextDue() ?? Number.POSITIVE_INFINITY) <= now
        ? finishAll(() => store.orders.listDue(now))
        : 0,

    /** Brings the order to its state at `now`. States only go forward, even if a clock goes back. */
    refresh: (row: OrderRow, now: number): OrderRow => {
      if (row.finished === 1 || row.final_at === null || row.processing_at === null) return row
      if (now >= row.final_at) finishAll(() => [store.orders.find(row.id)])
      else if (now >= row.processing_at && row.state !== 'processing')
        store.orders.startProcessing(row.number)
      else return row
      return store.orders.find(row.id) ?? row
    },
  }
}

const createRedeemData = (
  { sku, quote, currency }: StoredLine,
  cards: readonly NewCard[],
  at: number,
  { catalogue, redeemShape }: FinishSettings,
) => {
  // A state file may contain orders of a different catalogue.
  const product = catalogue.products.get(sku)
  const value = decimal(quote)
  const link = `https://redeem.example/${encodeURIComponent(sku)}`
  if ((redeemShape ?? product?.redeemShape) === 'B')
    return { redeemPin: cards.map(({ code }) => code), currency, redeemLink: link, value }
  const clearWithheld = (field: (typeof cardFields)[number], text: string): string =>
    product?.withholds?.includes(field) ? '' : text
  const expiresInDays = product?.expiresInDays ?? null
  return {
    redeemInstructions: product?.instructions ?? null,
    cards: cards.map((card) => ({
      redeemLink: clearWithheld('redeemLink', `${link}/${card.code}`),
      redeemCardCode: clearWithheld('redeemCardCode', card.code),
      redeemSerialNumber: clearWithheld('redeemSerialNumber', card.serial),
      redeemPin: clearWithheld('redeemPin', card.pin),
      // Spec silent: the date of a card that never expires. Any text may be empty.
      expirationDate: expiresInDays === null ? '' : new Date(at + expiresInDays * dayMs).toISOString(),
    })),
    currency,
    value,
  }
}
