// What `orderctl listen` prints: a line or a JSON object for each delivery, and warnings on stderr.
import type { Context } from '../../context.ts'
import { formatDuration } from '../../contract/duration.ts'
import { findCards } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { toMilliseconds } from '../../contract/timestamp.ts'
import { type Listening, renderListening, renderReceived } from '../../ui/screens/listen.ts'
import { lineBuffer, renderDropped } from '../../ui/terminal/line-buffer.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { themeFor } from '../../ui/terminal/theme.ts'
import { renderJson } from '../../ui/text/json.ts'
import type { StoredDelivery } from '../../webhooks/delivery-table.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import { viewOf } from '../shared/output/view-of.ts'

type Received = Pick<StoredDelivery, 'orderId' | 'deliveryId' | 'received'>

type Options = {
  readonly isJson: boolean
  /** The service's time. */
  readonly serviceNow: () => number
}

export const createLog = (context: Context, { isJson, serviceNow }: Options) => {
  const { stdout, stderr, clock } = context
  const renderEvent = (event: string, fields: object): string =>
    renderJson({ event, ...fields }, { oneLine: true })
  const out = lineBuffer(stdout, clock, (count) =>
    isJson ? renderEvent('dropped', { lines: count }) : renderDropped(count),
  )
  const notes = lineBuffer(stderr, clock, renderDropped)
  const writeEvent = (
    event: string,
    at: number,
    { orderId, deliveryId }: Received,
    more: object = {},
  ): void => out.write(renderEvent(event, { at: isoTime(at), orderId, deliveryId, ...more }))
  const writeLine = (delivery: Received, shown: Parameters<typeof renderReceived>[1]): void =>
    out.write(renderReceived(delivery, shown, viewOf(context, serviceNow())))
  let lastWarning = ''
  /** A repeated warning is printed once. */
  const warn = (text: string): void => {
    if (text !== lastWarning) notes.write(`warning: ${sanitize(text)}\n`)
    lastWarning = text
  }

  return {
    onListening: (listening: Listening): void => {
      const { url, isSigned, target, waiting } = listening
      if (target === undefined && waiting > 0) warn(describeWaiting(waiting))
      if (!isJson) stderr.write(renderListening(listening, themeFor(stderr)))
      else out.write(renderEvent('listening', { url, signed: isSigned, forwardTo: target ?? null, waiting }))
    },

    onDuplicate: (delivery: Received): void =>
      isJson ? writeEvent('duplicate', delivery.received, delivery) : writeLine(delivery, 'received again'),

    onChecked: (delivery: Received, order: Order | undefined): void =>
      isJson
        ? writeEvent('order', delivery.received, delivery, toData(order))
        : writeLine(delivery, order ?? 'unknown'),

    onForwarded: (delivery: Received): void => {
      lastWarning = ''
      if (isJson) writeEvent('forwarded', clock.now(), delivery)
    },

    onExpired: ({ account, ...delivery }: Received & Pick<StoredDelivery, 'account'>): void =>
      isJson
        ? writeEvent('expired', clock.now(), delivery, { account })
        : warn(
            `a delivery of ${delivery.orderId} (${account}) was not forwarded within 7 days, so its body was deleted`,
          ),

    onRefused: (status: number, reason: string): void =>
      isJson
        ? out.write(renderEvent('refused', { at: isoTime(clock.now()), status, reason }))
        : warn(`refused a delivery (HTTP ${status}): ${reason}`),

    warnOfRetry: (what: string, reason: string, waitMs: number): void =>
      warn(`cannot ${what}: ${reason}. Trying again in ${formatDuration(waitMs + 999)}.`),

    /** Writes the last lines. */
    end: async (): Promise<void> => void (await Promise.all([out.end(), notes.end()])),
  }
}

const describeWaiting = (count: number): string => {
  const deliveries = count === 1 ? '1 delivery waits' : `${count} deliveries wait`
  return `${deliveries} to be forwarded since an earlier run. Use --forward-to to send them.`
}

const toData = (order: Order | undefined) => ({
  known: order !== undefined,
  reference: order?.reference ?? null,
  state: order?.state ?? null,
  hasCodes: order !== undefined && findCards(order.redeem).length > 0,
  products:
    order === undefined ? null : [...order.products].map(([sku, { request }]) => ({ sku, ...request })),
  createdAt: order === undefined ? null : isoTime(toMilliseconds(order.createdDate)),
})
