// What time does to a confirmed order: its states, its cards or its refund, and the webhooks that tell of them.
import type { Clock } from '../contract/clock.ts'
import { isFinal } from '../contract/states.ts'
import { cardFrom } from './cards.ts'
import type { Catalogue, RedeemShape } from './catalogue.ts'
import { outcomeOf } from './lifecycle.ts'
import { orderText } from './order-text.ts'
import { redeemEntry } from './redeem.ts'
import type { Store } from './store.ts'
import { type OrderRow, storedLines } from './stored-orders.ts'

export type SettlementSettings = {
  readonly catalogue: Catalogue
  /** Forces one shape of redeem data on every product. */
  readonly redeemShape?: RedeemShape | undefined
  /** Whether the webhook is called again when an order is final; our extension. */
  readonly finalWebhook: boolean
  /** Told that a webhook waits in the outbox. */
  readonly onDelivery: () => void
}

export const createSettlement = (store: Store, clock: Clock, settings: SettlementSettings) => {
  const card = cardFrom(store.seed)

  /** Into the outbox, where somebody wants to know; `before` is the row as it was. */
  const announce = (before: OrderRow, event: 'confirmed' | 'final', at: number): void => {
    const { id, webhook_url: url } = before
    const row = url === null ? undefined : store.orders.byId(id)
    if (url === null || row === undefined) return
    store.deliveries.enqueue({
      id: `msg_${clock.newId()}`,
      orderId: id,
      event,
      url,
      payload: orderText(row),
      at,
    })
    settings.onDelivery()
  }

  const settle = (id: string): void => {
    // Read again: another process may have settled it since.
    const row = store.orders.byId(id)
    if (row === undefined || row.settled === 1 || row.final_at === null) return
    const at = row.final_at
    const lines = storedLines(row)
    const outcome = outcomeOf(lines, row.forced ?? undefined)
    const redeem = new Map<string, unknown>()
    let refund = 0
    for (const line of lines) {
      if (outcome.refunded.has(line.sku)) refund += line.charge
      if (!outcome.delivered.has(line.sku)) continue
      const first = store.takeCards(line.quantity)
      const cards = Array.from({ length: line.quantity }, (_, index) => card(first + index))
      const product = settings.catalogue.products.get(line.sku)
      redeem.set(line.sku, redeemEntry({ ...line, cards, at }, product, settings.redeemShape))
    }
    if (refund > 0) store.refund(row.number, row.wallet, refund, at)
    store.orders.settle(
      row.number,
      outcome.state,
      redeem.size === 0 ? null : JSON.stringify(Object.fromEntries(redeem)),
    )
    if (settings.finalWebhook && isFinal(outcome.state)) announce(row, 'final', at)
  }

  return {
    announce,

    /** Books every outcome that is due; how many there were. */
    settleDue: (now: number): number => {
      const due = store.orders.due(now)
      if (due.length > 0) {
        store.transaction(() => {
          for (const row of due) settle(row.id)
        })
      }
      return due.length
    },

    /** The row after all that time has done to it. States only go forward, whatever a clock says. */
    upToDate: (row: OrderRow, now: number): OrderRow => {
      if (row.settled === 1 || row.final_at === null || row.processing_at === null) return row
      if (now >= row.final_at) store.transaction(() => settle(row.id))
      else if (now >= row.processing_at && row.state !== 'processing')
        store.orders.startProcessing(row.number)
      else return row
      return store.orders.byId(row.id) ?? row
    },
  }
}
