// Finds the codes of an order, in its fields and its cards, so that each can be masked wherever it is repeated.
import { findCards } from '../../contract/redeem-cards.ts'
import { findLookalikes, isLookalike } from '../../text/lookalikes.ts'
import { listEntries } from '../text/entries.ts'
import { toInstant } from '../text/time.ts'
import { countLetters, hasDigit } from './letters.ts'
import { isInstructionText, isOpenName } from './mask-fields.ts'
import { decodePercents, maskText } from './mask-text.ts'
import { type Found, findTexts } from './mask-walk.ts'
import { normalizeName } from './secret-names.ts'

// The pattern comes first, because parsing is slow and most texts are not dates.
export const isDate = (text: string): boolean => /^\s*\d{4}-/.test(text) && toInstant(text) !== undefined

/** Currencies, dates and languages are shown, unless the value looks like a code. */
const isOpen = (text: string, key: string): boolean =>
  isOpenName(key) && (isDate(text) || (text.length <= 16 && maskText(text, (unmasked) => unmasked) === text))

// Counts have fewer digits.
const minDigits = 4

/** Whether the field of the text makes it a secret. */
export const isSecret = ({ text, field: { key, place }, kind }: Found): boolean => {
  if (kind === 'key' || place === 'open' || place === 'prose') return false
  if (place === 'secret' || place === 'named') return true
  if (kind === 'number')
    return place === 'redeem' || (normalizeName(key) !== 'value' && text.length >= minDigits)
  return !(place === 'instructions' && isInstructionText(key)) && !isOpen(text, key)
}

export const findSecrets = (tree: unknown): string[] =>
  findTexts(tree)
    .filter(isSecret)
    .map(({ text }) => text)

// Shorter codes occur in names and references by chance.
const minLetters = 6
// A word of prose that has a digit and equals a PIN of the order is that PIN: amounts and years have their own fields.
const minLettersInProse = 4

const findField = (tree: unknown, name: string): unknown =>
  listEntries(tree)?.find(([key]) => key === name)?.[1]

const findCardCodes = (order: unknown): string[] =>
  findCards(findField(order, 'redeem'))
    .flatMap(({ code, pin, serial, link }) => [code, pin, serial, link])
    .filter((each) => each !== undefined)

/** The words of a link that look like codes, except in its host. */
const findCodesInLink = (link: string): string[] => {
  const url = link.includes('://') ? URL.parse(link.trim()) : null
  return url === null ? [] : findLookalikes(decodePercents(url.pathname + url.search + url.hash))
}

/** An undocumented field may hold a name or a state instead of a code. */
const isLikelyCode = ({ text, field: { place }, kind }: Found): boolean =>
  kind === 'number' || isLookalike(text) || (place === 'named' && hasDigit(text) && !/\s/.test(text.trim()))

const isPublicId = ({ field: { key, documented }, kind }: Found): boolean =>
  kind === 'string' && (documented === 'id' || (documented === 'text' && key === 'reference'))

export type KnownCodes = {
  readonly isOrder: boolean
  /** Certainly codes: on cards, or in fields with the name of a secret. */
  readonly certain: ReadonlySet<string>
  /** Masked in every text. */
  readonly long: ReadonlySet<string>
  /** Masked in prose only. */
  readonly short: ReadonlySet<string>
  /** Secrets that also occur as ordinary words. Masked in the redeem data only. */
  readonly others: ReadonlySet<string>
  /** Words of the order's id, reference and SKUs that look like codes. */
  readonly ownWords: ReadonlySet<string>
}

export const findKnownCodes = (tree: unknown): KnownCodes => {
  const texts = findTexts(tree)
  const own = new Set(texts.filter(isPublicId).map(({ text }) => text))
  const secrets = texts.filter((found) => isSecret(found) && !isDate(found.text))
  const isCertain = ({ field }: Found): boolean => field.place === 'secret'
  const certain = [...secrets.filter(isCertain).map(({ text }) => text), ...findCardCodes(tree)]
  const likely = secrets
    .filter((found) => !isCertain(found) && isLikelyCode(found))
    .map(({ text }) => text)
    .concat(secrets.flatMap(({ text }) => findCodesInLink(text)))
    .filter((text) => !own.has(text))
  const long = new Set([...certain, ...likely].filter((text) => countLetters(text) >= minLetters))
  const isShort = (text: string): boolean => countLetters(text) >= minLettersInProse && hasDigit(text)
  return {
    isOrder: ['redeem', 'invoice'].some((name) => findField(tree, name) !== undefined),
    certain: new Set(certain),
    long,
    short: new Set(certain.filter((text) => !long.has(text) && isShort(text))),
    others: new Set(secrets.map(({ text }) => text).filter((text) => !long.has(text))),
    ownWords: new Set([...own].flatMap(findLookalikes)),
  }
}
