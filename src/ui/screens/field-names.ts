// The names of the fields of each result, for the TAB key and the docs: by command, and by the flag that chooses the result.
import { createdFields, orderFields } from '../../contract/field-paths.ts'
import { listNames } from '../text/result-fields.ts'
import { listedFields, revealFields } from './orders.ts'
import { reconciledFields } from './reconciled.ts'

const summaryFields = 'batch name state stopped rows cards orders spent wallet maxTotal by'.split(' ')
const rowFields = 'line sku productType quote quantity columns state delivered failed cards'.split(' ')

export const fieldNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['create', createdFields],
  ...['create --confirm', 'create --watch', 'confirm', 'get', 'watch'].map(
    (command) => [command, orderFields] as const,
  ),
  ['list', listNames(listedFields)],
  ['list --reveals', listNames(revealFields)],
  ['reconcile', listNames(reconciledFields)],
  ['redeem', ['id', 'redeem', 'cards']],
  ['batch plan', [...summaryFields, 'faceValues']],
  ['batch show', [...summaryFields, 'approval', 'buyers', 'faceValues']],
  ['batch show --rows', rowFields],
  ['batch list', summaryFields],
  ['batch list --waiting', [...summaryFields, 'approval']],
  ['batch approve', [...summaryFields, 'approval']],
  ['batch run', summaryFields],
  ['batch cancel', summaryFields],
])
