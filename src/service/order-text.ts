// Section 2.4: a kept order as the JSON text that get answers. Pure.
import { pendingState } from '../contract/states.ts'
import type { OrderRow } from './stored-orders.ts'

/** 2.1 */
export const timestampOf = (ms: number) => ({
  _seconds: Math.floor(ms / 1000),
  _nanoseconds: (ms % 1000) * 1_000_000,
})

/** When the order came into the state that it is in. */
const modifiedAt = (row: OrderRow): number => {
  const since =
    row.settled === 1 ? row.final_at : row.state === 'processing' ? row.processing_at : row.confirmed_at
  return since ?? row.created_at
}

/** 2.6, around texts that were written before. */
export const invoiceText = (wallet: string, total: string, records: string, state: string): string => {
  // Spec silent on the status of an invoice that is not paid yet.
  const status = state === pendingState ? 'unpaid' : 'paid'
  return `{"total":${total},"wallet":${JSON.stringify(wallet)},"records":${records},"paymentMethod":"balance","status":"${status}"}`
}

// Put together from texts: they were exact when they were written, and reading them again costs half of a get.
export const orderText = (row: OrderRow): string => {
  const quoted = JSON.stringify
  return (
    `{"uid":${quoted(row.id)},"state":${quoted(row.state)},"products":${row.products},` +
    `"exchangeRates":${row.exchange_rates},` +
    `"invoice":${invoiceText(row.wallet, row.invoice_total, row.invoice_records, row.state)},` +
    `"createdDate":${quoted(timestampOf(row.created_at))},"modifiedDate":${quoted(timestampOf(modifiedAt(row)))},` +
    `"redeem":${row.redeem ?? '{}'},"reference":${quoted(row.reference)}}`
  )
}
