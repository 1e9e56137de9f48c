// Writes a stored order as the JSON of a get response (order-service.md 2.4).

import { formatDecimal, isDecimal } from '../contract/decimal.ts'
import { pendingState } from '../contract/states.ts'
import type { OrderRow } from './stored-orders.ts'

/** order-service.md 2.1 */
export const toTimestamp = (ms: number) => ({
  _seconds: Math.floor(ms / 1000),
  _nanoseconds: (ms % 1000) * 1_000_000,
})

/** The time of the last change of state. */
const findModifiedAt = (row: OrderRow): number => {
  const time =
    row.settled === 1 ? row.final_at : row.state === 'processing' ? row.processing_at : row.confirmed_at
  return time ?? row.created_at
}

/** order-service.md 2.6; `total` and `records` are JSON. */
export const writeInvoice = (wallet: string, total: string, records: string, state: string): string => {
  // Spec silent: the status of an unpaid invoice.
  const status = state === pendingState ? 'unpaid' : 'paid'
  return `{"total":${total},"wallet":${JSON.stringify(wallet)},"records":${records},"paymentMethod":"balance","status":"${status}"}`
}

// Joins the stored JSON without parsing it: parsing would take half the time of a get.
export const writeOrder = (row: OrderRow): string => {
  const json = JSON.stringify
  return (
    `{"uid":${json(row.id)},"state":${json(row.state)},"products":${row.products},` +
    `"exchangeRates":${row.exchange_rates},` +
    `"invoice":${writeInvoice(row.wallet, row.invoice_total, row.invoice_records, row.state)},` +
    `"createdDate":${json(toTimestamp(row.created_at))},"modifiedDate":${json(toTimestamp(findModifiedAt(row)))},` +
    `"redeem":${row.redeem ?? '{}'},"reference":${json(row.reference)}}`
  )
}

/** For plain objects, lists, texts, finite numbers and Decimals. */
export const writeCompactJson = (value: unknown): string => {
  if (typeof value === 'string') return writeText(value)
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isDecimal(value)) return formatDecimal(value)
  return Array.isArray(value) ? writeList(value) : writeObject(value as Record<string, unknown>)
}

const writeList = (list: readonly unknown[]): string => {
  let parts = ''
  for (const item of list) parts += parts === '' ? writeCompactJson(item) : `,${writeCompactJson(item)}`
  return `[${parts}]`
}

const writeObject = (object: Readonly<Record<string, unknown>>): string => {
  let parts = ''
  for (const key in object) {
    const field = object[key]
    if (field === undefined) continue
    const entry = writeKey(key) + writeCompactJson(field)
    parts += parts === '' ? entry : `,${entry}`
  }
  return `{${parts}}`
}

// Cached, because formatting them takes a quarter of the time. The keys are the names of fields, and the SKUs and
// currencies of the catalogue.
const keys = new Map<string, string>()

const writeKey = (key: string): string => {
  let text = keys.get(key)
  if (text === undefined) {
    text = `${writeText(key)}:`
    keys.set(key, text)
  }
  return text
}

/** Needs no escapes in JSON. */
const plain = /^[ !#-[\]-~]*$/

const writeText = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text))
