// The ticket as JSON.
import { findCards } from '../../../contract/redeem-cards.ts'
import type { NamedActor } from '../../../text/actor-name.ts'
import { maskOrder } from '../../masking/mask-tree.ts'
import { type Moment, toInstant } from '../../text/time.ts'
import {
  findEnding,
  findExpiry,
  findTicketProducts,
  findTicketReveals,
  listSecrets,
  type Ticket,
} from './ticket.ts'

const formatIso = (moment: Moment | undefined): string | null => {
  const ms = moment === undefined ? undefined : toInstant(moment)
  return ms === undefined ? null : new Date(ms).toISOString()
}

const actorData = (actor: NamedActor | undefined) => ({
  by: actor?.role ?? actor?.user ?? null,
  writtenBy: actor?.writtenBy ?? null,
})

/** Times are in UTC. */
export const toTicketData = (given: Ticket) => {
  const ticket = { ...given, order: maskOrder(given.order) }
  const { order, history, cards } = ticket
  const received = Map.groupBy(findCards(order.redeem), ({ sku }) => sku)
  const nameOf = (sku: string): string | null => order.products.get(sku)?.shopItem.name ?? null
  return {
    orderId: order.uid,
    reference: order.reference,
    state: order.state,
    profile: history?.profile ?? null,
    ordered: { at: formatIso(order.createdDate), ...actorData(history?.placedBy) },
    paid: {
      at: formatIso(history?.confirmedAt),
      total: order.invoice.total,
      currency: order.invoice.wallet,
      invoice: order.invoice.status,
    },
    changed: formatIso(order.modifiedDate),
    products: findTicketProducts(ticket).map(([sku, { request, shopItem }]) => ({
      sku,
      name: shopItem.name,
      quantity: request.quantity,
      each: request.quote,
      currency: shopItem.baseCurrency,
      delivered: received.get(sku)?.length ?? 0,
    })),
    cards: cards.map(({ number, card }) => ({
      card: number,
      sku: card.sku,
      product: nameOf(card.sku),
      has: listSecrets(card),
      ending: findEnding(card) ?? null,
      expires: formatIso(findExpiry(card)),
    })),
    reveals: findTicketReveals(ticket).map(({ at, by, how, skus }) => ({
      at: formatIso(at),
      ...actorData(by),
      how,
      skus,
    })),
    calls: (history?.calls ?? []).map(({ operation, outcome, settled, status, refusal, startedAt, by }) => ({
      operation,
      at: formatIso(startedAt),
      ...actorData(by),
      outcome,
      settled: settled ?? null,
      status: status ?? null,
      refusal: refusal ?? null,
    })),
  }
}
