// Masks the codes of a JSON value: what --json prints without --reveal.

import { findCards } from '../../contract/redeem-cards.ts'
import { hideHash, stateNames } from '../../contract/state-words.ts'
import { findLookalikes, isLookalike, replaceLookalikes } from '../../text/lookalikes.ts'
import { toInstant } from '../text/time.ts'
import {
  type CodeMasker,
  countLetters,
  createCodeMasker,
  decodePercents,
  hasDigit,
  maskHidden,
  maskSecret,
  maskText,
} from './mask-codes.ts'
import { type Found, findField, findTexts, replaceTexts } from './mask-fields.ts'
import { isCodeName, normalizeName } from './secret-names.ts'

// The pattern comes first, because parsing is slow and most texts are not dates.
const isDate = (text: string): boolean => /^\s*\d{4}-/.test(text) && toInstant(text) !== undefined

// Documented fields of the redeem data that hold no code.
const openNames = new Set(['currency', 'expirationdate', 'languagecode'])
const instructionTexts = new Set(['tnc', 'tnchtml', 'redeem', 'redeemhtml'])

// Counts have fewer digits.
const minDigits = 4

/** Whether the field of the text makes it a secret. */
const isSecret = ({ text, field: { key, place }, kind }: Found): boolean => {
  if (kind === 'key' || place === 'open' || place === 'prose') return false
  if (place === 'secret' || place === 'named') return true
  const name = normalizeName(key)
  if (kind === 'number') return place === 'redeem' || (name !== 'value' && text.length >= minDigits)
  if (place === 'instructions' && instructionTexts.has(name)) return false
  // Currencies, dates and languages are shown, unless the value looks like a code.
  const isPlain = isDate(text) || (text.length <= 16 && maskText(text, (unmasked) => unmasked) === text)
  return !(openNames.has(name) && isPlain)
}

export const findSecrets = (tree: unknown): string[] =>
  findTexts(tree)
    .filter(isSecret)
    .map(({ text }) => text)

// Shorter codes occur in names and references by chance.
const minLetters = 6
// A word of prose that has a digit and equals a PIN of the order is that PIN: amounts and years have their own fields.
const minLettersInProse = 4

/** The words of a link that look like codes, except in its host. */
const findCodesInLink = (link: string): string[] => {
  const url = link.includes('://') ? URL.parse(link.trim()) : null
  return url === null ? [] : findLookalikes(decodePercents(url.pathname + url.search + url.hash))
}

/** An undocumented field may hold a name or a state instead of a code. */
const isLikelyCode = ({ text, field: { place }, kind }: Found): boolean =>
  kind === 'number' || isLookalike(text) || (place === 'named' && hasDigit(text) && !/\s/.test(text.trim()))

/** The keys of documented ids. */
const ids = new Set(['uid', 'id', 'sku'])

const isPublicId = ({ field: { key, schema }, kind }: Found): boolean =>
  kind === 'string' && schema !== undefined && (ids.has(key) || key === 'reference')

const findKnownCodes = (tree: unknown) => {
  const texts = findTexts(tree)
  const own = new Set(texts.filter(isPublicId).map(({ text }) => text))
  const secrets = texts.filter((found) => isSecret(found) && !isDate(found.text))
  const isOnCard = ({ field }: Found): boolean => field.place === 'secret'
  const onCards = findCards(findField(tree, 'redeem')).flatMap(({ code, pin, serial, link }) =>
    [code, pin, serial, link].filter((each) => each !== undefined),
  )
  const certain = [...secrets.filter(isOnCard).map(({ text }) => text), ...onCards]
  const likely = secrets
    .filter((found) => !isOnCard(found) && isLikelyCode(found))
    .map(({ text }) => text)
    .concat(secrets.flatMap(({ text }) => findCodesInLink(text)))
    .filter((text) => !own.has(text))
  const long = new Set([...certain, ...likely].filter((text) => countLetters(text) >= minLetters))
  const isShort = (text: string): boolean => countLetters(text) >= minLettersInProse && hasDigit(text)
  return {
    isOrder: ['redeem', 'invoice'].some((name) => findField(tree, name) !== undefined),
    /** Certainly codes: on cards, or in fields with the name of a secret. */
    certain: new Set(certain),
    /** Masked in every text. */
    long,
    /** Masked in prose only. */
    short: new Set(certain.filter((text) => !long.has(text) && isShort(text))),
    /** Secrets that also occur as ordinary words. Masked in the redeem data only. */
    others: new Set(secrets.map(({ text }) => text).filter((text) => !long.has(text))),
    /** Words of the order's id, reference and SKUs that look like codes. */
    ownWords: new Set([...own].flatMap(findLookalikes)),
  }
}

type KnownCodes = ReturnType<typeof findKnownCodes>

/** The codes as numbers would show them: without leading zeros. */
const toNumbers = (codes: Iterable<string>): ReadonlySet<string> =>
  new Set(Array.from(codes, (code) => code.replaceAll(/[^A-Za-z0-9]/g, '').replace(/^0+(?=.)/, '')))

/** They are never codes. */
const documentedWords: ReadonlySet<string> = new Set(stateNames)

/** Masks the texts outside the redeem data. */
const createOpenMask = ({ isOrder, long, short, ownWords }: KnownCodes, maskLong: CodeMasker) => {
  const maskShort = createCodeMasker(short)
  const maskProse: CodeMasker = (text) => maskShort(maskLong(text))
  const numbers = toNumbers(long)
  const shortNumbers = toNumbers(short)
  // Outside of orders, a word that looks like a code may be an id.
  const maskNote: CodeMasker = isOrder ? (text) => maskText(text, maskProse, ownWords) : maskProse
  // For fields such as `error.code`: error names rarely have digits.
  const maskCodeField: CodeMasker = (text) =>
    replaceLookalikes(maskProse(text), (word) =>
      isOrder && hasDigit(word) && !ownWords.has(word) ? maskSecret(word) : word,
    )

  return ({ text, field: { key, place, schema }, kind }: Found): string => {
    if (kind === 'key') return maskLong(text)
    if (schema !== undefined) {
      if (ids.has(key)) return text
      // A short PIN is masked in prose only.
      if (key === 'description') return maskProse(text)
      return documentedWords.has(text) ? text : maskLong(key === 'state' ? hideHash(text) : text)
    }
    const isProse = place === 'prose'
    if (isDate(text)) return text
    if (isCodeName(normalizeName(key))) return maskHidden(text, maskCodeField)
    if (kind === 'string') return maskHidden(text, isProse ? maskNote : maskLong)
    return numbers.has(text) || (isProse && shortNumbers.has(text)) ? maskSecret(text) : text
  }
}

const maskKnown = (codes: KnownCodes, tree: unknown): unknown => {
  const maskLong = createCodeMasker(codes.long)
  const maskOpen = createOpenMask(codes, maskLong)
  const maskOthers = createCodeMasker(codes.others)
  const maskRedeemText: CodeMasker = (text) => maskText(text, (each) => maskOthers(maskLong(each)))
  // 10,000 cards share the same few keys.
  const maskedKeys = new Map<string, string>()
  return replaceTexts(tree, (text, field, kind) => {
    const found = { text, field, kind }
    if (isSecret(found)) return maskSecret(text)
    if (field.place === 'open' || field.place === 'prose') return maskOpen(found)
    if (kind === 'key') {
      // A key directly below the redeem data is a SKU.
      if (field.place === 'redeem' && !codes.certain.has(text)) return text
      const masked = maskedKeys.get(text) ?? maskText(text, maskLong)
      maskedKeys.set(text, masked)
      return masked
    }
    return kind === 'number' || isDate(text) ? text : maskHidden(text, maskRedeemText)
  })
}

/** Masks every code of `whole`, which may contain more than the tree. */
export const maskTree = (tree: unknown, whole = tree): unknown => maskKnown(findKnownCodes(whole), tree)

/** Masks repeated codes outside the redeem data. Screens mask the cards themselves. */
export const maskOrder = <Shown extends { uid: string; redeem?: unknown }>(order: Shown): Shown => {
  const codes = findKnownCodes(order)
  // Without known codes nothing is masked, because screens show documented fields only.
  if (codes.long.size + codes.short.size === 0) return order
  const { redeem, ...rest } = order
  return { ...(maskKnown(codes, rest) as Shown), redeem }
}
