// Compares references: equal, or only similar.

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
