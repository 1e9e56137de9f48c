// Settles confirmed orders: final state, cards or refund, and the webhooks that announce them.
import type { Clock } from '../contract/clock.ts'
import { type Decimal, decimal } from '../contract/decimal.ts'
import { dayMs } from '../contract/duration.ts'
import { isFinal } from '../contract/states.ts'
import { type Card, createCardFactory } from './cards.ts'
import type { Catalogue, Product, RedeemShape } from './catalogue.ts'
import { decideOutcome } from './lifecycle.ts'
import { writeCompactJson, writeOrder } from './order-text.ts'
import type { Store } from './store.ts'
import { type OrderRow, readLines } from './stored-orders.ts'

export type SettlementSettings = {
  readonly catalogue: Catalogue
  /** Overrides the shape of every product. */
  readonly redeemShape?: RedeemShape | undefined
  /** Spec silent: whether a second webhook is sent when the order is final. */
  readonly finalWebhook: boolean
  /** Called when a webhook is added to the outbox. */
  readonly onDelivery: () => void
}

export type Settlement = ReturnType<typeof createSettlement>

export const createSettlement = (store: Store, clock: Clock, settings: SettlementSettings) => {
  const createCard = createCardFactory(store.seed)

  const enqueueWebhook = (
    { id, webhook_url: url }: Pick<OrderRow, 'id' | 'webhook_url'>,
    event: 'confirmed' | 'final',
    at: number,
  ): void => {
    // The payload needs the new state.
    const row = url === null ? undefined : store.orders.find(id)
    if (url === null || row === undefined) return
    store.deliveries.enqueue({
      id: `msg_${clock.newId()}`,
      orderId: id,
      event,
      url,
      payload: writeOrder(row),
      at,
    })
    settings.onDelivery()
  }

  /** Returns the number of the next card. */
  const settle = (row: OrderRow, at: number, firstCard: number): number => {
    let nextCard = firstCard
    const lines = readLines(row)
    const outcome = decideOutcome(lines, row.forced ?? undefined)
    const redeem = new Map<string, unknown>()
    let refund = 0
    for (const line of lines) {
      if (outcome.refunded.has(line.sku)) refund += line.charge
      if (!outcome.delivered.has(line.sku)) continue
      const first = nextCard
      nextCard += line.quantity
      const cards = Array.from({ length: line.quantity }, (_, index) => createCard(first + index))
      const product = settings.catalogue.products.get(line.sku)
      redeem.set(line.sku, createRedeemData({ ...line, cards, at }, product, settings.redeemShape))
    }
    if (refund > 0) store.refund(row.number, row.wallet, refund, at)
    store.orders.settle(
      row.number,
      outcome.state,
      redeem.size === 0 ? null : writeCompactJson(Object.fromEntries(redeem)),
    )
    if (settings.finalWebhook && isFinal(outcome.state)) enqueueWebhook(row, 'final', at)
    return nextCard
  }

  /**
   * Reads the orders in the transaction that settles them, because another process may settle them too. Also counts the
   * cards once for all orders: a statement for each line would take 5 % of a confirm.
   */
  const settleAll = (list: () => readonly (OrderRow | undefined)[]): number =>
    store.transaction(() => {
      const rows = list()
      let nextCard = store.readNextCard()
      for (const row of rows)
        if (row?.settled === 0 && row.final_at !== null) nextCard = settle(row, row.final_at, nextCard)
      store.setNextCard(nextCard)
      return rows.length
    })

  return {
    enqueueWebhook,

    /** Settles up to 100 orders that are due, and returns their number. */
    settleDue: (now: number): number =>
      (store.orders.findNextDue() ?? Number.POSITIVE_INFINITY) <= now
        ? settleAll(() => store.orders.listDue(now))
        : 0,

    /** Brings the order to its state at `now`. States only go forward, even if a clock goes back. */
    refresh: (row: OrderRow, now: number): OrderRow => {
      if (row.settled === 1 || row.final_at === null || row.processing_at === null) return row
      if (now >= row.final_at) settleAll(() => [store.orders.find(row.id)])
      else if (now >= row.processing_at && row.state !== 'processing')
        store.orders.startProcessing(row.number)
      else return row
      return store.orders.find(row.id) ?? row
    },
  }
}

const writeLink = (sku: string): string => `https://redeem.example/${encodeURIComponent(sku)}`

type DeliveredLine = {
  readonly sku: string
  readonly quote: string
  readonly currency: string
  readonly cards: readonly Card[]
  readonly at: number
}

/** `product` comes from the current catalogue, which may no longer have the SKU. */
const createRedeemData = (
  { sku, quote, currency, cards, at }: DeliveredLine,
  product: Product | undefined,
  forcedShape: RedeemShape | undefined,
): Record<string, unknown> => {
  const value: Decimal = decimal(quote)
  if ((forcedShape ?? product?.redeemShape ?? 'A') === 'B') {
    return { redeemPin: cards.map((card) => card.code), currency, redeemLink: writeLink(sku), value }
  }
  const withheld = new Set<string>(product?.withholds)
  const clearWithheld = (field: string, text: string): string => (withheld.has(field) ? '' : text)
  const expiresInDays = product?.expiresInDays ?? null
  return {
    redeemInstructions: product?.instructions ?? null,
    cards: cards.map((card) => ({
      redeemLink: clearWithheld('redeemLink', `${writeLink(sku)}/${card.code}`),
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
