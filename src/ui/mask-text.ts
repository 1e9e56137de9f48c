// Free text that may repeat a code: the codes in it masked, the rest left as it is.
import { htmlText } from './html-text.ts'
import { maskSecret } from './mask.ts'

// What people and programs put between the characters of a code.
const between = '[^\\p{L}\\p{N}]{0,3}'
const meaningful = /[\p{L}\p{N}]/u

const patternOf = (secret: string): string | undefined => {
  const characters = [...secret].filter((character) => meaningful.test(character))
  if (characters.length === 0) return undefined
  const body = characters.map((character) => RegExp.escape(character)).join(between)
  // A short PIN would be found inside of every longer number.
  return characters.length < 6 ? `(?<![\\p{L}\\p{N}])${body}(?![\\p{L}\\p{N}])` : body
}

export type SecretFinder = (text: string) => string

/** Masks these secrets wherever they stand, in whatever case and grouping. */
export const finderOf = (secrets: Iterable<string>): SecretFinder => {
  const byLength = [...new Set(secrets)].toSorted((a, b) => b.length - a.length)
  const patterns = byLength.map(patternOf).filter((pattern) => pattern !== undefined)
  // In portions: one pattern of thousands of codes would be too large.
  const finders: RegExp[] = []
  for (let at = 0; at < patterns.length; at += 50)
    finders.push(new RegExp(patterns.slice(at, at + 50).join('|'), 'giu'))
  return (text) =>
    finders.reduce((masked, finder) => masked.replace(finder, (found) => maskSecret(found)), text)
}

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

const maskLookalikes = (text: string): string => {
  const masked = text.replace(spaced, (found) => (/\d/.test(found) ? maskSecret(found) : found))
  // The end of a date that was passed over, so that its last part is not taken for a word of its own.
  let passed = 0
  return masked.replace(word, (found, at: number) => {
    moment.lastIndex = at
    const date = moment.exec(masked)?.[0]
    if (date !== undefined) passed = at + date.length
    return at < passed || !looksLikeCode(found) ? found : maskSecret(found)
  })
}

/** Known secrets, and whatever looks like one. */
export const maskText = (text: string, find: SecretFinder): string => maskLookalikes(find(text))

/** HTML can hide a code from a search, by entities or by tags within it; then its plain text takes its place. */
export const maskHtml = (html: string, find: SecretFinder): string => {
  const masked = maskText(html, find)
  const plain = htmlText(masked)
  const again = maskText(plain, find)
  return again === plain ? masked : again
}
