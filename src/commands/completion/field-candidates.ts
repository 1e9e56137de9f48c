// Finds the fields of a command's JSON, for --fields.
import { createdFields, orderFields } from '../../contract/field-paths.ts'
import type { Offer } from '../../ui/text/candidates.ts'
import type { TypedLine } from './parse-line.ts'

const entryFields =
  'orderId reference state profile origin wallet total products placedAt changedAt expiresAt batch by stale'.split(
    ' ',
  )
const summaryFields = 'batch name state stopped rows cards orders spent wallet maxTotal by'.split(' ')
const rowFields = 'line sku productType quote quantity columns state delivered failed cards'.split(' ')
const fieldsOf = new Map<string, (isGiven: (flag: string) => boolean) => readonly string[]>([
  ['create', (isGiven) => (isGiven('--confirm') || isGiven('--watch') ? orderFields : createdFields)],
  ['list', (isGiven) => (isGiven('--reveals') ? revealFields : entryFields)],
  ['reconcile', () => [...entryFields, 'was', 'problem', 'next']],
  ['redeem', () => ['redeem']],
  ['batch plan', () => [...summaryFields, 'faceValues']],
  ['batch show', (isGiven) => (isGiven('--rows') ? rowFields : [...summaryFields, 'approval'])],
  ['batch list', (isGiven) => (isGiven('--waiting') ? [...summaryFields, 'approval'] : summaryFields)],
  ['batch approve', () => [...summaryFields, 'approval']],
  ...['batch run', 'batch cancel'].map((path) => [path, () => summaryFields] as const),
])
const revealFields = 'profile origin orderId skus at who how by'.split(' ')

/** The fields that the list does not have yet. */
export const findFields = ({ line }: { readonly line: TypedLine }): Offer => {
  const { word, flags, path } = line
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const taken = new Set(before.split(','))
  const all = fieldsOf.get(path)?.((flag) => flags.some(({ option }) => option.long === flag)) ?? orderFields
  const candidates = all.filter((field) => !taken.has(field)).map((field) => ({ value: `${before}${field}` }))
  return { candidates, next: 'nospace' }
}
