// The names of the fields of each result, for the TAB key and the docs: by command, and by the flag that chooses the result. A
// test compares the paths of responses with the schemas, which completion would otherwise have to load.

import {
  approvedFields,
  batchFields,
  listRowFields,
  plannedFields,
  shownFields,
} from '../batch/screens/batches.ts'
import { matchFields } from '../commands/find/screen.ts'
import { profileFields } from '../commands/profile/screen.ts'
import { listReportFields } from '../commands/report/report-data.ts'
import { findingFields, pathFields } from '../ui/screens/doctor.ts'
import { listedFields, reconciledFields, revealFields } from '../ui/screens/orders.ts'
import { ticketFields } from '../ui/screens/ticket.ts'
import { listNames, type ResultFields } from '../ui/text/result-fields.ts'

const invoice = ['', '.total', '.wallet', '.records', '.paymentMethod', '.status']

export const orderFields: readonly string[] = [
  ...['id', 'uid', 'state', 'reference', 'products', 'exchangeRates'],
  ...invoice.map((part) => `invoice${part}`),
  ...['createdDate', 'modifiedDate', 'redeem', 'money', 'progress', 'decision', 'webhookHost', 'cards'],
]

export const createdFields: readonly string[] = [
  ...['id', 'reference', 'exchangeRates'],
  ...invoice.map((part) => `invoice${part}`),
  ...invoice.map((part) => `retailInvoice${part}`),
  ...['expiresAt', 'webhookHost'],
]

/** A list, and the fields of its items. */
const listNamesIn = (list: string, fields: ResultFields<never>): string[] => [
  list,
  ...listNames(fields).map((name) => `${list}.${name}`),
]

export const fieldNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['create', createdFields],
  ...['create --confirm', 'create --watch', 'confirm', 'get', 'watch'].map(
    (command) => [command, orderFields] as const,
  ),
  ['explain', listNames(ticketFields)],
  ['find', ['searched', ...listNamesIn('matches', matchFields)]],
  ['list', listNames(listedFields)],
  ['reveals', listNames(revealFields)],
  ['reconcile', listNames(reconciledFields)],
  ['redeem', ['id', 'redeem', 'cards']],
  ['batch plan', listNames(plannedFields)],
  ['batch run', listNames(approvedFields)],
  ['batch show', listNames(shownFields)],
  ['batch show --rows', listNames(listRowFields([]))],
  ['batch list', listNames(batchFields)],
  ['batch list --waiting', listNames(approvedFields)],
  ['batch approve', listNames(approvedFields)],
  ['batch cancel', listNames(batchFields)],
  ['report', ['from', 'to', 'by', ...listNamesIn('rows', listReportFields({ by: ['month'] })), 'total']],
  ['journal status', ['status', ...listNamesIn('checks', findingFields)]],
  ['doctor', ['status', ...listNamesIn('checks', findingFields), ...listNamesIn('paths', pathFields)]],
  ...['profile', 'profile show', 'profile list'].map((key) => [key, listNames(profileFields)] as const),
])
