// Generates references and compares them: equal or similar. Also the words for an order or a batch on a command line, and the
// ids that could be read as a different word.

import { type Clock, formatUtcDay } from '../time.ts'

/** Unique: the date, and a random part. */
export const generateReference = ({ now, newId }: Pick<Clock, 'now' | 'newId'>): string =>
  `orderctl-${formatUtcDay(now())}-${newId().replaceAll('-', '').slice(0, 12)}`

const generatedForm = /^orderctl-\d{4}-\d\d-\d\d-(?<id>[\da-f]{12})$/

/** The random part of a generated reference. Undefined if the reference was not generated. */
export const findGeneratedId = (reference: string): string | undefined =>
  generatedForm.exec(reference)?.groups?.id

const normalizeReference = (reference: string): string => reference.trim().normalize('NFC')

export const isSameReference = (one: string, other: string): boolean =>
  normalizeReference(one) === normalizeReference(other)

const ascii = /^[\0-\x7f]*$/

/** Folds references that are equal, or differ only in case, spaces or invisible characters, to the same text. */
export const foldReference = (reference: string): string => {
  const folded = normalizeReference(reference).toLowerCase()
  if (ascii.test(folded)) return folded.replace(/\s+/g, ' ')
  return folded
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}

export const lastWord = '@last'
export const referencePrefix = 'ref:'
export const batchPrefix = 'batch:'

/** The start of the name of each batch that an assistant plans. */
export const assistantPrefix = 'mcp-'

export const namesBatch = (text: string): boolean => text.startsWith(batchPrefix)

export const needsJournal = (text: string): boolean =>
  text === lastWord || text.startsWith(referencePrefix) || namesBatch(text)

/** Spec silent: the form of an id. False if a command would read it as a different order. */
export const isOrderId = (text: string): boolean => text !== '' && text === text.trim() && !needsJournal(text)
