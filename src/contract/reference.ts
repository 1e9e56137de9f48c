// When two references are the same, and when they only look alike.

/** The form in which references are compared. */
const canonical = (reference: string): string => reference.trim().normalize('NFC')

export const isSameReference = (one: string, other: string): boolean => canonical(one) === canonical(other)

const ascii = /^[\0-\x7f]*$/

/** References that are the same, or differ only in case, spaces or invisible characters, fold to one text. */
export const foldReference = (reference: string): string => {
  const folded = canonical(reference).toLowerCase()
  if (ascii.test(folded)) return folded.replace(/\s+/g, ' ')
  return folded
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}
