// Free text that may repeat a code: the codes in it masked, the rest left as it is.
import { meaningfulIn, replaceLookalikes } from '../contract/lookalikes.ts'
import { htmlText } from './html-text.ts'
import { maskSecret } from './mask.ts'

// What people and programs put between the characters of a code.
const mostBetween = 3
// A short PIN would be found inside of every longer number.
const leastInside = 6

/** Letters and digits alone, in one case, and where each of them begins and ends in the text. */
const lettersOf = (text: string) => {
  let letters = ''
  const starts: number[] = []
  const ends: number[] = []
  for (const { 0: character, index } of text.matchAll(meaningfulIn(text))) {
    for (const unit of character.toLowerCase()) {
      letters += unit
      for (let count = 0; count < unit.length; count += 1) {
        starts.push(index)
        ends.push(index + character.length)
      }
    }
  }
  return { letters, starts, ends }
}

type Found = { readonly from: number; readonly to: number }
type Letters = ReturnType<typeof lettersOf>

/** How much stands between a letter and the next one. */
const gapsIn =
  ({ starts, ends }: Letters) =>
  (at: number): number =>
    (starts[at + 1] ?? Number.POSITIVE_INFINITY) - (ends[at] ?? 0)

type Wanted = { readonly secret: string; readonly between: number }

/** A code that is written with more between its characters is found as it is, too. */
const wantedOf = (text: string): Wanted => {
  const found = lettersOf(text)
  const gapAfter = gapsIn(found)
  const between = found.ends.slice(1).reduce((most, _, at) => Math.max(most, gapAfter(at)), mostBetween)
  return { secret: found.letters, between }
}

// By hand: as a pattern, with what may stand between any two characters, a few codes took seconds to compile.
const occurrences = (text: Letters, { secret, between }: Wanted): Found[] => {
  const { letters, starts, ends } = text
  const found: Found[] = []
  const gapAfter = gapsIn(text)
  for (let at = letters.indexOf(secret); at >= 0; at = letters.indexOf(secret, at + 1)) {
    const last = at + secret.length - 1
    let isJoined = true
    for (let each = at; each < last && isJoined; each += 1) isJoined = gapAfter(each) <= between
    const isInside = (at > 0 && gapAfter(at - 1) <= 0) || gapAfter(last) <= 0
    if (isJoined && !(isInside && secret.length < leastInside))
      found.push({ from: starts[at] ?? 0, to: ends[last] ?? 0 })
  }
  return found
}

/** In their order; what overlaps is one. */
const joined = (found: readonly Found[]): Found[] => {
  const apart: Found[] = []
  for (const { from, to } of found.toSorted((one, other) => one.from - other.from)) {
    const last = apart.at(-1)
    if (last === undefined || from >= last.to) apart.push({ from, to })
    else apart.splice(-1, 1, { from: last.from, to: Math.max(last.to, to) })
  }
  return apart
}

export type SecretFinder = (text: string) => string

/** Masks these secrets wherever they stand, in whatever case and grouping. */
export const finderOf = (secrets: Iterable<string>): SecretFinder => {
  const wanted = [...new Set(secrets)].map(wantedOf).filter(({ secret }) => secret !== '')
  const shortest = Math.min(...wanted.map(({ secret }) => secret.length))
  return (text) => {
    if (text.length < shortest) return text
    const letters = lettersOf(text)
    const found = wanted.flatMap((secret) => occurrences(letters, secret))
    let masked = ''
    let at = 0
    for (const { from, to } of joined(found)) {
      masked += text.slice(at, from) + maskSecret(text.slice(from, to))
      at = to
    }
    return masked + text.slice(at)
  }
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
