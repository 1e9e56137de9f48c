// The fields of each result, by command, and by the flag that chooses the result: for the TAB key, help and the docs.

import {
  approvedFields,
  batchFields,
  exportedFields,
  listRowFields,
  plannedFields,
  shownFields,
} from '../batch/screens/batches.ts'
import { searchFields } from '../commands/find/screen.ts'
import { profileFields } from '../commands/profile/screen.ts'
import { listResultFields } from '../commands/report/report-data.ts'
import { checkFields, doctorFields } from '../ui/screens/doctor.ts'
import {
  listedFields,
  orderFields,
  reconciledFields,
  redeemedFields,
  revealFields,
} from '../ui/screens/orders.ts'
import { ticketFields } from '../ui/screens/ticket.ts'
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
  ['report', listResultFields({ by: ['month'], people: new Map() })],
  ['journal status', checkFields],
  ['doctor', doctorFields],
  ...['profile', 'profile show'].map((command) => [command, profileFields] as const),
  ['profile list', listOf(profileFields)],
])
