// What looks like a code, in free text of which nobody says what it is.

const word = /[\p{L}\p{N}]+(?:[\p{Pd}_][\p{L}\p{N}]+)*/gu
const spaced = /(?<![\p{L}\p{N}])[A-Z0-9]{3,6}(?: [A-Z0-9]{3,6}){2,}(?![\p{L}\p{N}])/gu
const moment =
  /\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\p{L}\p{N}]|[\p{Pd}_][\p{L}\p{N}])/uy

const looksLikeCode = (found: string): boolean => {
  const count = found.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  if (/\p{N}/u.test(found)) return count >= 8
  // Letters alone: in capitals and long, or in groups.
  return /^[A-Z\p{Pd}_]+$/u.test(found) && (count >= 12 || (/[\p{Pd}_]/u.test(found) && count >= 8))
}

/** A date is none. */
export const replaceLookalikes = (text: string, replaced: (found: string) => string): string => {
  const masked = text.replace(spaced, (found) => (/\d/.test(found) ? replaced(found) : found))
  // The end of a date that was passed over, so that its last part is not taken for a word of its own.
  let passed = 0
  return masked.replace(word, (found, at: number) => {
    moment.lastIndex = at
    const date = moment.exec(masked)?.[0]
    if (date !== undefined) passed = at + date.length
    return at < passed || !looksLikeCode(found) ? found : replaced(found)
  })
}
