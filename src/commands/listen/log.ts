// What `orderctl listen` prints: where it listens, a line or a JSON object for each delivery, and warnings on stderr.

import { joinResponse } from '../../app/output/show-order.ts'
import type { Context } from '../../context.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import { formatDuration, toMilliseconds } from '../../contract/time.ts'
import type { ReadOrder } from '../../operations/read.ts'
import { orderFields } from '../../ui/screens/orders.ts'
import { findShownWord, findViewStyle, stateText } from '../../ui/screens/state.ts'
import { createLineLog, describeDroppedLines } from '../../ui/terminal/line-log.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { themeFor, viewOf } from '../../ui/terminal/view.ts'
import { describeCount, describeOrdered, formatAge, formatClock } from '../../ui/text/formats.ts'
import {
  chooseFields,
  fieldsOf,
  readFields,
  readSparse,
  renderJson,
  sparse,
} from '../../ui/text/result-fields.ts'
import { type NamedText, renderFields } from '../../ui/text/table.ts'
import type { StoredDelivery } from '../../webhooks/delivery-table.ts'

type Seen = Pick<ReadOrder, 'data' | 'view'>

type DeliveryOrigin = Pick<StoredDelivery, 'orderId' | 'deliveryId' | 'received'>

const seenFields = chooseFields(
  orderFields,
  'reference',
  'state',
  'money',
  'progress',
  'products',
  'placedAt',
)

const lineFields = fieldsOf({
  event: ['text', 'listening, order, duplicate, forwarded, expired, refused, warning or dropped'],
  occurredAt: ['time', 'when; of an order, when its delivery was received'],
  url: ['text', 'where it listens'],
  signed: ['flag', 'deliveries need a signature'],
  forwardTo: ['text', 'the target of --forward-to'],
  waitingCount: ['count', 'deliveries that wait since an earlier run'],
  orderId: ['text', 'the order'],
  deliveryId: ['text', "the sender's id of the delivery"],
  account: ['text', 'the account of a delivery that expired'],
  known: ['flag', 'the service has the order'],
  hasCodes: ['flag', 'the order has cards'],
  ...Object.fromEntries(seenFields.map(([name, type, meaning]) => [name, [type, meaning] as const])),
  httpStatus: ['count', 'of the response to a delivery that was refused'],
  message: ['text', 'why, or the warning'],
  lineCount: ['count', 'lines that were dropped, because the reader stalled'],
})

/** Of --json. */
export const listenLine = sparse(lineFields, 'event')

/** `serviceNow` is the service's time. */
export const createLog = (context: Context, isJson: boolean, serviceNow: () => number) => {
  const { stdout, stderr, clock } = context
  const theme = themeFor(stdout)
  const renderEvent = (event: string, fields: object): string =>
    renderJson(readSparse(lineFields, { event, ...fields }), { oneLine: true })
  const renderDropped = (lineCount: number) => renderEvent('dropped', { occurredAt: clock.now(), lineCount })
  const out = createLineLog(stdout, clock, isJson ? renderDropped : describeDroppedLines)
  let lastWarning = ''
  /** A repeated warning is printed once. */
  const warn = (text: string): void => {
    if (text === lastWarning) return
    if (isJson) out.write(renderEvent('warning', { occurredAt: clock.now(), message: text }))
    else stderr.write(`warning: ${sanitize(text)}\n`)
    lastWarning = text
  }
  const writeEvent = (event: string, occurredAt: number, delivery: DeliveryOrigin, more = {}): void =>
    out.write(renderEvent(event, { ...delivery, account: undefined, occurredAt, ...more }))
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
    return [word, sanitize(describeOrdered(data)), theme.quiet(age)]
  }

  return {
    /** `waiting`: the deliveries that an earlier process has not forwarded. */
    onListening: (url: string, isSigned: boolean, target: string | undefined, waiting: number): void => {
      if (target === undefined && waiting > 0) {
        const deliveries = describeCount(waiting, 'delivery waits', 'deliveries wait')
        warn(`${deliveries} to be forwarded since an earlier run. Use --forward-to to send them.`)
      }
      if (isJson) {
        out.write(
          renderEvent('listening', { url, signed: isSigned, forwardTo: target, waitingCount: waiting }),
        )
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
      if (isJson)
        out.write(renderEvent('refused', { occurredAt: clock.now(), httpStatus: status, message: reason }))
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
  if (seen === undefined || seen.view.reading === 'stranger') return { known: false, hasCodes: false }
  const hasCards = findCards(seen.data.redeem).length > 0
  const shown = joinResponse(undefined, seen, { isRevealed: false })
  return { known: true, hasCodes: hasCards, ...readFields(seenFields, shown) }
}
