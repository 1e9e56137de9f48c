// Free text that may repeat a code: the codes in it masked, the rest left as it is.
import { replaceLookalikes } from '../contract/lookalikes.ts'
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

/** Known secrets, and whatever looks like one. */
export const maskText = (text: string, find: SecretFinder): string =>
  replaceLookalikes(find(text), maskSecret)

/** HTML can hide a code from a search, by entities or by tags within it; then its plain text takes its place. */
export const maskHtml = (html: string, find: SecretFinder): string => {
  const masked = maskText(html, find)
  const plain = htmlText(masked)
  const again = maskText(plain, find)
  return again === plain ? masked : again
}
