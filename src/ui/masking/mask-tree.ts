// A JSON value with its codes masked: what --json prints without --reveal.

import { states } from '../../contract/states.ts'
import { replaceLookalikes } from '../../text/lookalikes.ts'
import { hasDigit } from './letters.ts'
import { maskSecret } from './mask.ts'
import { type CodeMasker, createCodeMasker } from './mask-codes.ts'
import { isDate, isSecret, type KnownCodes, knownCodesIn } from './mask-known.ts'
import { maskHidden, maskText } from './mask-text.ts'
import { type Found, replaceTexts } from './mask-walk.ts'
import { isCodeName, nameOf } from './secret-names.ts'

const remember = (mask: CodeMasker): CodeMasker => {
  const known = new Map<string, string>()
  return (text) => {
    const masked = known.get(text) ?? mask(text)
    known.set(text, masked)
    return masked
  }
}

/** The codes that a number can be. A number has no leading zeros. */
const numbersAmong = (codes: Iterable<string>): ReadonlySet<string> =>
  new Set(
    Array.from(codes, (code) => code.replaceAll(/[^A-Za-z0-9]/g, '')).map((code) =>
      code.replace(/^0+(?=.)/, ''),
    ),
  )

/** Masks the texts outside of the redeem data. */
const createOpenMask = ({ isOrder, long, short, ownWords }: KnownCodes, maskLong: CodeMasker) => {
  const maskShort = createCodeMasker(short)
  const maskProse: CodeMasker = (text) => maskShort(maskLong(text))
  const numbers = numbersAmong(long)
  const shortNumbers = numbersAmong(short)
  const isOwn = (word: string): boolean => ownWords.has(word)
  // What looks like a code is one in an order only: other documents have ids, too.
  const maskNote: CodeMasker = isOrder ? (text) => maskText(text, maskProse, isOwn) : maskProse
  // Such as `error.code`: the names of errors have no digits, or few.
  const maskCodeField: CodeMasker = (text) =>
    replaceLookalikes(maskProse(text), (word) =>
      isOrder && hasDigit(word) && !isOwn(word) ? maskSecret(word) : word,
    )

  return ({ text, field: { key, place, documented }, kind }: Found): string => {
    if (kind === 'key') return maskLong(text)
    if (documented === 'id' || documented === 'number') return text
    if (documented === 'words') return maskProse(text)
    if (documented === 'text') return Object.hasOwn(states, text) ? text : maskLong(text)
    const isProse = place === 'prose'
    if (isDate(text)) return text
    if (isCodeName(nameOf(key))) return maskHidden(text, maskCodeField)
    if (kind === 'number' && (numbers.has(text) || (isProse && shortNumbers.has(text))))
      return maskSecret(text)
    return kind === 'number' ? text : maskHidden(text, isProse ? maskNote : maskLong)
  }
}

const maskBy = (codes: KnownCodes, tree: unknown): unknown => {
  const maskLong = createCodeMasker(codes.long)
  const maskOpen = createOpenMask(codes, maskLong)
  const maskOthers = createCodeMasker(codes.others)
  const maskRedeemText: CodeMasker = (text) => maskText(text, (each) => maskOthers(maskLong(each)))
  // 10,000 cards have the same few keys.
  const maskRedeemKey = remember((key) => maskText(key, maskLong))
  return replaceTexts(tree, (text, field, kind) => {
    const found = { text, field, kind }
    if (isSecret(found)) return maskSecret(text)
    if (field.place === 'open' || field.place === 'prose') return maskOpen(found)
    // A key right below the redeem data is a SKU.
    if (kind === 'key')
      return field.place === 'redeem' && !codes.certain.has(text) ? text : maskRedeemKey(text)
    if (kind === 'number' || isDate(text)) return text
    return maskHidden(text, maskRedeemText)
  })
}

/** Masks the tree. Its codes are those of the whole, which may be more than the tree. */
export const maskTree = (tree: unknown, whole = tree): unknown => maskBy(knownCodesIn(whole), tree)

/** An order for a screen, which masks its cards itself: their codes are masked wherever else they are repeated. */
export const maskOrder = <Shown extends { readonly uid: string; readonly redeem?: unknown }>(
  order: Shown,
): Shown => {
  const codes = knownCodesIn(order)
  // The screens show documented fields alone.
  if (codes.long.size + codes.short.size === 0) return order
  const { redeem, ...rest } = order
  return { ...(maskBy(codes, rest) as Shown), redeem }
}
