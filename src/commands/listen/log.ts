// What `orderctl listen` prints: a line or a JSON object for each delivery, and warnings on stderr.
import type { Context } from '../../context.ts'
import { formatDecimal } from '../../contract/decimal.ts'
import { findCards } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { toMilliseconds } from '../../contract/timestamp.ts'
import { type Listening, renderListening, renderReceived } from '../../ui/screens/listen.ts'
import { lineBuffer, renderDropped } from '../../ui/terminal/line-buffer.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { themeFor } from '../../ui/terminal/theme.ts'
import { renderJson } from '../../ui/text/json.ts'
import { describeProducts } from '../../ui/text/products.ts'
import type { StoredDelivery } from '../../webhooks/delivery-table.ts'
import type { Answer } from '../../webhooks/receiver.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import { viewOf } from '../shared/output/view-of.ts'

type Received = Pick<StoredDelivery, 'orderId' | 'deliveryId' | 'received'>

type Options = {
  readonly isJson: boolean
  /** The service's time. */
  readonly now: () => number
}

export const createLog = (context: Context, { isJson, now }: Options) => {
  const { stdout, stderr, clock } = context
  const renderEvent = (event: object): string => renderJson(event, { oneLine: true })
  const out = lineBuffer(stdout, clock, (count) =>
    isJson ? renderEvent({ event: 'dropped', lines: count }) : renderDropped(count),
  )
  const notes = lineBuffer(stderr, clock, renderDropped)
  const writeEvent = (
    event: string,
    at: number,
    { orderId, deliveryId }: Received,
    more: object = {},
  ): void => out.write(renderEvent({ event, at: isoTime(at), orderId, deliveryId, ...more }))
  const writeLine = (delivery: Received, shown: Parameters<typeof renderReceived>[1]): void =>
    out.write(renderReceived(delivery, shown, viewOf(context, now())))
  let lastWarning = ''
  /** A repeated warning is printed once. */
  const warn = (text: string): void => {
    if (text !== lastWarning) notes.write(`warning: ${sanitize(text)}\n`)
    lastWarning = text
  }

  return {
    warn,

    writeListening: (listening: Listening): void => {
      if (!isJson) return void stderr.write(renderListening(listening, themeFor(stderr)))
      const { url, isSigned, target, waiting } = listening
      out.write(
        renderEvent({ event: 'listening', url, signed: isSigned, forwardTo: target ?? null, waiting }),
      )
    },

    writeDuplicate: (delivery: Received): void =>
      isJson ? writeEvent('duplicate', delivery.received, delivery) : writeLine(delivery, 'received again'),

    writeChecked: (delivery: Received, order: Order | undefined): void => {
      if (!isJson) return void writeLine(delivery, order === undefined ? 'unknown' : describeOrder(order))
      writeEvent('order', delivery.received, delivery, {
        known: order !== undefined,
        reference: order?.reference ?? null,
        state: order?.state ?? null,
        hasCodes: order !== undefined && findCards(order.redeem).length > 0,
        products:
          order === undefined ? null : [...order.products].map(([sku, { request }]) => ({ sku, ...request })),
        createdAt: order === undefined ? null : isoTime(toMilliseconds(order.createdDate)),
      })
    },

    writeForwarded: (delivery: Received): void => {
      lastWarning = ''
      if (isJson) writeEvent('forwarded', clock.now(), delivery)
    },

    writeExpired: ({ account, ...delivery }: Received & Pick<StoredDelivery, 'account'>): void =>
      isJson
        ? writeEvent('expired', clock.now(), delivery, { account })
        : warn(
            `a delivery of ${delivery.orderId} (${account}) was not forwarded within 7 days, so its body was deleted`,
          ),

    writeRefused: ({ status, text, reason = text }: Answer): void =>
      isJson
        ? out.write(renderEvent({ event: 'refused', at: isoTime(clock.now()), status, reason }))
        : warn(`refused a delivery (HTTP ${status}): ${reason}`),

    /** Writes the last lines. */
    end: async (): Promise<void> => void (await Promise.all([out.end(), notes.end()])),
  }
}

const describeOrder = ({ state, products, createdDate }: Order) => ({
  state,
  products: describeProducts(
    [...products].map(([sku, { request }]) => ({
      ...{ sku, quote: formatDecimal(request.quote), ordered: request.quantity },
    })),
  ),
  createdAt: toMilliseconds(createdDate),
})
