// What `orderctl listen` prints: where it listens, a line or a JSON object for each delivery, and warnings on stderr.

import type { Context } from '../../context.ts'
import { formatDuration } from '../../contract/duration.ts'
import { formatDecimal } from '../../contract/money/decimal.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { hideHash } from '../../contract/states.ts'
import { toMilliseconds } from '../../contract/time.ts'
import type { ReadOrder } from '../../operations/read.ts'
import { maskOrder } from '../../ui/masking/mask-response.ts'
import { findShownWord, findViewStyle, stateText } from '../../ui/screens/state.ts'
import { createLineLog } from '../../ui/terminal/line-log.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { themeFor, viewOf } from '../../ui/terminal/view.ts'
import { describeCount, describeProducts, formatAge, formatClock, formatIso } from '../../ui/text/formats.ts'
import { renderJson } from '../../ui/text/json.ts'
import { type NamedText, renderFields } from '../../ui/text/table.ts'
import type { StoredDelivery } from '../../webhooks/delivery-table.ts'

type Seen = Pick<ReadOrder, 'data' | 'view'>

type DeliveryOrigin = Pick<StoredDelivery, 'orderId' | 'deliveryId' | 'received'>

/** `serviceNow` is the service's time. */
export const createLog = (context: Context, isJson: boolean, serviceNow: () => number) => {
  const { stdout, stderr, clock } = context
  const theme = themeFor(stdout)
  const renderEvent = (event: string, fields: object): string =>
    renderJson({ event, ...fields }, { oneLine: true })
  const out = createLineLog(stdout, clock)
  let lastWarning = ''
  /** A repeated warning is printed once. */
  const warn = (text: string): void => {
    if (text === lastWarning) return
    if (isJson) out.write(renderEvent('warning', { at: formatIso(clock.now()), message: text }))
    else stderr.write(`warning: ${sanitize(text)}\n`)
    lastWarning = text
  }
  const writeEvent = (event: string, at: number, { orderId, deliveryId }: DeliveryOrigin, more = {}): void =>
    out.write(renderEvent(event, { at: formatIso(at), orderId, deliveryId, ...more }))
  /** '2026-11-20 20:54:05 UTC  ord_1  ✓ successful  2 × GAME-US 25  3 s' */
  const writeLine = ({ orderId, received }: DeliveryOrigin, ...cells: readonly string[]): void => {
    const all = [theme.quiet(formatClock(received, viewOf(context))), sanitize(orderId), ...cells]
    out.write(`${all.filter((cell) => cell !== '').join('  ')}\n`)
  }

  const describeSeen = (seen: Seen | undefined): string[] => {
    if (seen === undefined) return [theme.warning('? the service does not know this order')]
    const { data, view } = seen
    const style = findViewStyle(view)
    if (view.reading === 'stranger') return [theme[style.paint](`${style.mark} ${style.meaning}`)]
    const age = formatAge(toMilliseconds(data.createdDate), serviceNow())
    const word = stateText(findShownWord(data.state, view), theme, style)
    return [word, describeOrdered(data), theme.quiet(age)]
  }

  return {
    /** `waiting`: the deliveries that an earlier process has not forwarded. */
    onListening: (url: string, isSigned: boolean, target: string | undefined, waiting: number): void => {
      if (target === undefined && waiting > 0) {
        const deliveries = describeCount(waiting, 'delivery waits', 'deliveries wait')
        warn(`${deliveries} to be forwarded since an earlier run. Use --forward-to to send them.`)
      }
      if (isJson) {
        out.write(renderEvent('listening', { url, signed: isSigned, forwardTo: target ?? null, waiting }))
        // The command may run for days, so they are not kept until its end.
        for (const text of stderr.warnings?.splice(0) ?? []) warn(text)
        return
      }
      const noteTheme = themeFor(stderr)
      const { strong, quiet } = noteTheme
      const left = waiting === 0 ? '' : ` (${waiting} waiting from an earlier run)`
      const fields: NamedText[] = [
        ['url', strong(sanitize(url))],
        ['signed', isSigned ? 'required' : 'not checked: anyone who knows the URL can send a delivery'],
        ['forward', target && `${sanitize(target)}${left}`],
      ]
      stderr.write(
        `${strong('Listening for webhooks.')}\n` +
          renderFields(fields, { theme: noteTheme }, '  ') +
          `${quiet('Each delivery is logged below. Press Ctrl-C to stop.')}\n`,
      )
    },

    onDuplicate: (delivery: DeliveryOrigin): void => {
      if (isJson) writeEvent('duplicate', delivery.received, delivery)
      else writeLine(delivery, theme.quiet('received again'))
    },

    onChecked: (delivery: DeliveryOrigin, seen: Seen | undefined): void => {
      if (isJson) writeEvent('order', delivery.received, delivery, toData(seen))
      else writeLine(delivery, ...describeSeen(seen))
    },

    onForwarded: (delivery: DeliveryOrigin): void => {
      lastWarning = ''
      if (isJson) writeEvent('forwarded', clock.now(), delivery)
    },

    onExpired: (delivery: DeliveryOrigin & Pick<StoredDelivery, 'account'>): void => {
      const { orderId, account } = delivery
      if (isJson) writeEvent('expired', clock.now(), delivery, { account })
      else
        warn(`a delivery of ${orderId} (${account}) was not forwarded within 7 days, so its body was deleted`)
    },

    onRefused: (status: number, reason: string): void => {
      if (isJson) out.write(renderEvent('refused', { at: formatIso(clock.now()), status, reason }))
      else warn(`refused a delivery (HTTP ${status}): ${reason}`)
    },

    warnOfRetry: (what: string, reason: string, waitMs: number): void =>
      warn(`cannot ${what}: ${reason}. Trying again in ${formatDuration(waitMs + 999)}.`),

    /** Writes the last lines. */
    [Symbol.asyncDispose]: out.end,
  }
}

/** The service does not have the order if it shows a different one under the id. */
const toData = (seen: Seen | undefined) => {
  const order = seen?.view.reading === 'stranger' ? undefined : seen?.data
  return {
    known: order !== undefined,
    reference: order ? maskOrder(order).reference : null,
    state: order ? hideHash(order.state) : null,
    money: (order && seen?.view.money) ?? null,
    progress: (order && seen?.view.progress) ?? null,
    hasCodes: order !== undefined && findCards(order.redeem).length > 0,
    products: order ? [...order.products].map(([sku, { request }]) => ({ sku, ...request })) : null,
    createdAt: formatIso(order?.createdDate),
  }
}

const describeOrdered = ({ products }: Order): string => {
  const ordered = [...products].map(
    ([
      sku,
      {
        request: { quote, quantity },
      },
    ]) => ({
      ...{ sku, quote: formatDecimal(quote), ordered: quantity },
    }),
  )
  return sanitize(describeProducts(ordered))
}
