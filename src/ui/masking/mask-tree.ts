// Masks the codes of a JSON value: what --json prints without --reveal.
import { states } from '../../contract/states.ts'
import { replaceLookalikes } from '../../text/lookalikes.ts'
import { hasDigit } from './letters.ts'
import { maskSecret } from './mask.ts'
import { type CodeMasker, createCodeMasker } from './mask-codes.ts'
import { findKnownCodes, isDate, isSecret, type KnownCodes } from './mask-known.ts'
import { maskHidden, maskText } from './mask-text.ts'
import { type Found, replaceTexts } from './mask-walk.ts'
import { isCodeName, normalizeName } from './secret-names.ts'

const memoize = (mask: CodeMasker): CodeMasker => {
  const known = new Map<string, string>()
  return (text) => {
    const masked = known.get(text) ?? mask(text)
    known.set(text, masked)
    return masked
  }
}

/** The codes as numbers would show them: without leading zeros. */
const toNumbers = (codes: Iterable<string>): ReadonlySet<string> =>
  new Set(
    Array.from(codes, (code) => code.replaceAll(/[^A-Za-z0-9]/g, '')).map((code) =>
      code.replace(/^0+(?=.)/, ''),
    ),
  )

/** Masks the texts outside the redeem data. */
const createOpenMask = ({ isOrder, long, short, ownWords }: KnownCodes, maskLong: CodeMasker) => {
  const maskShort = createCodeMasker(short)
  const maskProse: CodeMasker = (text) => maskShort(maskLong(text))
  const numbers = toNumbers(long)
  const shortNumbers = toNumbers(short)
  const isOwnWord = (word: string): boolean => ownWords.has(word)
  // Outside of orders, a word that looks like a code may be an id.
  const maskNote: CodeMasker = isOrder ? (text) => maskText(text, maskProse, isOwnWord) : maskProse
  // For fields such as `error.code`: error names rarely have digits.
  const maskCodeField: CodeMasker = (text) =>
    replaceLookalikes(maskProse(text), (word) =>
      isOrder && hasDigit(word) && !isOwnWord(word) ? maskSecret(word) : word,
    )

  return ({ text, field: { key, place, documented }, kind }: Found): string => {
    if (kind === 'key') return maskLong(text)
    if (documented === 'id' || documented === 'number') return text
    if (documented === 'words') return maskProse(text)
    if (documented === 'text') return Object.hasOwn(states, text) ? text : maskLong(text)
    const isProse = place === 'prose'
    if (isDate(text)) return text
    if (isCodeName(normalizeName(key))) return maskHidden(text, maskCodeField)
    if (kind === 'number' && (numbers.has(text) || (isProse && shortNumbers.has(text))))
      return maskSecret(text)
    return kind === 'number' ? text : maskHidden(text, isProse ? maskNote : maskLong)
  }
}

const maskKnown = (codes: KnownCodes, tree: unknown): unknown => {
  const maskLong = createCodeMasker(codes.long)
  const maskOpen = createOpenMask(codes, maskLong)
  const maskOthers = createCodeMasker(codes.others)
  const maskRedeemText: CodeMasker = (text) => maskText(text, (each) => maskOthers(maskLong(each)))
  // 10,000 cards share the same few keys.
  const maskRedeemKey = memoize((key) => maskText(key, maskLong))
  return replaceTexts(tree, (text, field, kind) => {
    const found = { text, field, kind }
    if (isSecret(found)) return maskSecret(text)
    if (field.place === 'open' || field.place === 'prose') return maskOpen(found)
    // A key directly below the redeem data is a SKU.
    if (kind === 'key')
      return field.place === 'redeem' && !codes.certain.has(text) ? text : maskRedeemKey(text)
    if (kind === 'number' || isDate(text)) return text
    return maskHidden(text, maskRedeemText)
  })
}

/** Masks every code of `whole`, which may contain more than the tree. */
export const maskTree = (tree: unknown, whole = tree): unknown => maskKnown(findKnownCodes(whole), tree)

/** Masks repeated codes outside the redeem data. Screens mask the cards themselves. */
export const maskOrder = <Shown extends { readonly uid: string; readonly redeem?: unknown }>(
  order: Shown,
): Shown => {
  const codes = findKnownCodes(order)
  // Without known codes nothing is masked, because screens show documented fields only.
  if (codes.long.size + codes.short.size === 0) return order
  const { redeem, ...rest } = order
  return { ...(maskKnown(codes, rest) as Shown), redeem }
}
