// The fields of the results that --fields can select, by command, and by the flag that chooses the result. all-results.ts has
// the others.

import {
  approvedFields,
  batchFields,
  exportedFields,
  listRowFields,
  plannedFields,
  shownFields,
} from '../batch/screens/batches.ts'
import { searchFields } from '../commands/find/screen.ts'
import { listedFields, orderFields, reconciledFields, redeemedFields } from '../ui/screens/orders.ts'
import { revealFields, ticketFields } from '../ui/screens/ticket.ts'
import { type FieldType, listOf } from '../ui/text/result-fields.ts'

export const resultsByCommand: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ...['create', 'confirm', 'get', 'watch'].map((command) => [command, orderFields] as const),
  ['explain', ticketFields],
  ['find', searchFields],
  ['list', listOf(listedFields)],
  ['reveals', listOf(revealFields)],
  ['reconcile', listOf(reconciledFields)],
  ['redeem', redeemedFields],
  ['batch plan', plannedFields],
  ['batch run', approvedFields],
  ['batch show', shownFields],
  ['batch show --rows', listRowFields([])],
  ['batch list', listOf(batchFields)],
  ['batch list --waiting', listOf(approvedFields)],
  ['batch approve', approvedFields],
  ['batch cancel', batchFields],
  ['batch export', exportedFields],
])
