// What `orderctl listen` prints: a line or a JSON object for each delivery, and warnings on stderr.
import type { Context } from '../../context.ts'
import { formatDecimal } from '../../contract/decimal.ts'
import { toMilliseconds } from '../../contract/timestamp.ts'
import type { Accepted } from '../../operations/listen/accept-delivery.ts'
import type { Checked } from '../../operations/listen/check-queue.ts'
import { type Listening, renderListening } from '../../ui/screens/listen/listening.ts'
import { renderDuplicate, renderReceived, renderUnknown } from '../../ui/screens/listen/received-line.ts'
import { lineBuffer, renderDropped } from '../../ui/terminal/line-buffer.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { themeFor } from '../../ui/terminal/theme.ts'
import { renderJson } from '../../ui/text/json.ts'
import { describeProducts } from '../../ui/text/products.ts'
import type { Answer } from '../../webhooks/delivery-handler.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import { viewOf } from '../shared/output/view-of.ts'

export type Log = ReturnType<typeof createLog>

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
  const write = (event: object, render: () => string): void =>
    out.write(isJson ? renderEvent(event) : render())
  const view = () => viewOf(context, now())
  let lastWarning = ''
  /** A repeated warning is printed once. */
  const warn = (text: string): void => {
    if (text !== lastWarning) notes.write(`warning: ${sanitize(text)}\n`)
    lastWarning = text
  }

  return {
    warn,

    writeListening: (listening: Listening): void => {
      if (isJson) {
        const { url, isSigned, target, waiting } = listening
        const event = { event: 'listening', url, signed: isSigned, forwardTo: target ?? null, waiting }
        out.write(renderEvent(event))
      } else stderr.write(renderListening(listening, themeFor(stderr)))
    },

    writeDuplicate: ({ orderId, deliveryId, at }: Accepted): void =>
      write({ event: 'duplicate', at: isoTime(at), orderId, deliveryId: deliveryId ?? null }, () =>
        renderDuplicate({ orderId, at }, view()),
      ),

    writeChecked: ({ orderId, deliveryId, at, order }: Checked): void => {
      const common = { event: 'order', at: isoTime(at), orderId, deliveryId: deliveryId ?? null }
      if (order === undefined) {
        const event = { ...common, known: false, state: null, products: null, createdAt: null }
        write(event, () => renderUnknown({ orderId, at }, view()))
        return
      }
      const createdAt = toMilliseconds(order.createdDate)
      const products = [...order.products].map(([sku, { request }]) => ({ sku, ...request }))
      const event = { ...common, known: true, state: order.state, products, createdAt: isoTime(createdAt) }
      write(event, () => {
        const described = describeProducts(
          products.map(({ sku, quote, quantity }) => ({
            sku,
            quote: formatDecimal(quote),
            ordered: quantity,
          })),
        )
        return renderReceived({ orderId, at, state: order.state, products: described, createdAt }, view())
      })
    },

    writeRefused: ({ status, text }: Answer): void => {
      if (isJson) out.write(renderEvent({ event: 'refused', at: isoTime(clock.now()), status, reason: text }))
      else warn(`refused a delivery (HTTP ${status}): ${text}`)
    },

    writeForwarded: ({ orderId, deliveryId }: Pick<Accepted, 'orderId' | 'deliveryId'>): void => {
      lastWarning = ''
      const event = { event: 'forwarded', at: isoTime(clock.now()), orderId, deliveryId: deliveryId ?? null }
      if (isJson) out.write(renderEvent(event))
    },

    /** Writes the last lines. */
    end: async (): Promise<void> => {
      await Promise.all([out.end(), notes.end()])
    },
  }
}
