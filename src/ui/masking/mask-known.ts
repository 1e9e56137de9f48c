// The codes that an order tells: by the fields they are in, and as cards. Each is masked wherever it is repeated.

import { findCards } from '../../contract/redeem-cards.ts'
import { findLookalikes, isLookalike } from '../../text/lookalikes.ts'
import { entriesOf } from '../text/entries.ts'
import { instantOf } from '../text/time.ts'
import { countLetters, hasDigit } from './letters.ts'
import { isInstructionText, isOpenName } from './mask-fields.ts'
import { decodePercents, maskText } from './mask-text.ts'
import { type Found, textsIn } from './mask-walk.ts'
import { nameOf } from './secret-names.ts'

// Most texts are none, and to parse them takes a while.
export const isDate = (text: string): boolean => /^\s*\d{4}-/.test(text) && instantOf(text) !== undefined

/** Currencies, dates and languages may be seen. A code in such a field is still a code. */
const isOpen = (text: string, key: string): boolean =>
  isOpenName(key) && (isDate(text) || (text.length <= 16 && maskText(text, (same) => same) === text))

// Counts are shorter.
const leastDigits = 4

/** Whether the text is masked as a whole, because of the field it is in. */
export const isSecret = ({ text, field: { key, place }, kind }: Found): boolean => {
  if (kind === 'key' || place === 'open' || place === 'prose') return false
  if (place === 'secret' || place === 'named') return true
  if (kind === 'number') return place === 'redeem' || (nameOf(key) !== 'value' && text.length >= leastDigits)
  return !(place === 'instructions' && isInstructionText(key)) && !isOpen(text, key)
}

/** Each text that is a secret by its field. */
export const secretsIn = (tree: unknown): string[] =>
  textsIn(tree)
    .filter(isSecret)
    .map(({ text }) => text)

// Shorter ones occur in names and references by chance.
const leastLetters = 6
// In prose, a word of this length that has a digit and is a PIN of the order is hardly anything else. Amounts and
// years are in fields of their own.
const leastLettersInProse = 4

const fieldIn = (tree: unknown, name: string): unknown => entriesOf(tree)?.find(([key]) => key === name)?.[1]

const cardCodesIn = (order: unknown): string[] =>
  findCards(fieldIn(order, 'redeem'))
    .flatMap(({ code, pin, serial, link }) => [code, pin, serial, link])
    .filter((each) => each !== undefined)

/** The words of a link that look like codes, but for its host. */
const codesInLink = (link: string): string[] => {
  const url = link.includes('://') ? URL.parse(link.trim()) : null
  return url === null ? [] : findLookalikes(decodePercents(url.pathname + url.search + url.hash))
}

/** A field that nobody documented may hold a name or a state as well as a code. */
const isLikelyCode = ({ text, field: { place }, kind }: Found): boolean =>
  kind === 'number' || isLookalike(text) || (place === 'named' && hasDigit(text) && !/\s/.test(text.trim()))

const isOwn = ({ field: { key, documented }, kind }: Found): boolean =>
  kind === 'string' && (documented === 'id' || (documented === 'text' && key === 'reference'))

export type KnownCodes = {
  readonly isOrder: boolean
  /** Codes by the names of their fields, or as cards. */
  readonly certain: ReadonlySet<string>
  /** To be masked in every text. */
  readonly long: ReadonlySet<string>
  /** To be masked in prose, too. */
  readonly short: ReadonlySet<string>
  /** The other secrets, which are words by chance: to be masked in the redeem data alone. */
  readonly others: ReadonlySet<string>
  /** Words of the order's id, of its reference and of its SKUs that look like codes. */
  readonly ownWords: ReadonlySet<string>
}

export const knownCodesIn = (tree: unknown): KnownCodes => {
  const texts = textsIn(tree)
  const own = new Set(texts.filter(isOwn).map(({ text }) => text))
  const secrets = texts.filter((found) => isSecret(found) && !isDate(found.text))
  const isCertain = ({ field }: Found): boolean => field.place === 'secret'
  const certain = [...secrets.filter(isCertain).map(({ text }) => text), ...cardCodesIn(tree)]
  const likely = secrets
    .filter((found) => !isCertain(found) && isLikelyCode(found))
    .map(({ text }) => text)
    .concat(secrets.flatMap(({ text }) => codesInLink(text)))
    .filter((text) => !own.has(text))
  const long = new Set([...certain, ...likely].filter((text) => countLetters(text) >= leastLetters))
  const isShort = (text: string): boolean => countLetters(text) >= leastLettersInProse && hasDigit(text)
  return {
    isOrder: ['redeem', 'invoice'].some((name) => fieldIn(tree, name) !== undefined),
    certain: new Set(certain),
    long,
    short: new Set(certain.filter((text) => !long.has(text) && isShort(text))),
    others: new Set(secrets.map(({ text }) => text).filter((text) => !long.has(text))),
    ownWords: new Set([...own].flatMap(findLookalikes)),
  }
}
