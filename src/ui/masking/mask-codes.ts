// Masks codes, PINs, serial numbers and links, and the codes that a text of the service repeats.
import { findCards, listSecrets } from '../../contract/order/redeem-cards.ts'
import { listEntries } from '../../contract/shape.ts'
import {
  createCodeFinder,
  decodeEscapes,
  getCharacterPattern,
  type Least,
  replaceInPlain,
  replaceLookalikes,
} from '../../text/known-codes.ts'

// The number of dots is fixed, to hide the length of the code.
const dots = '••••'

const minLettersOfLong = 12
const lettersShown = 4

/** Keeps the last four letters or digits of a long code, to distinguish codes. */
export const maskCode = (code: string): string => {
  if (code.trim() === '') return ''
  const letters = code.match(getCharacterPattern(code)) ?? []
  return letters.length < minLettersOfLong ? dots : dots + letters.slice(-lettersShown).join('')
}

/** Keeps only the host. The user name, the path and the query may hold the code. */
export const maskLink = (link: string): string => {
  if (link.trim() === '') return ''
  const url = URL.parse(link.trim())
  return url !== null && /^https?:$/.test(url.protocol) && url.host !== '' ? `${url.host}/…` : dots
}

/** Masks a secret that may be a link or a code. */
export const maskSecret = (secret: string): string =>
  URL.canParse(secret.trim()) ? maskLink(secret) : maskCode(secret)

/** The parts of a link that may be a code, except its host. */
const findCodesInLink = (link: string): string[] => {
  const url = link.includes('://') ? URL.parse(link.trim()) : null
  if (url === null) return []
  const parts = decodeEscapes(url.pathname + url.search + url.hash).split(/[/?&=#]/)
  return parts.filter((part) => part.length >= 8 && /\d|^[A-Z_-]+$/.test(part))
}

/** The secrets of all cards, and the parts of their links. `own`: texts of the order that a link may contain. */
export const listCodes = (redeem: unknown, own: readonly unknown[] = []): string[] => {
  const codes = listSecrets(findCards(redeem))
  const skus = (listEntries(redeem) ?? []).map(([sku]) => sku)
  const parts = codes.flatMap(findCodesInLink).filter((part) => ![...own, ...skus].includes(part))
  return [...codes, ...parts]
}

export type CodeMasker = {
  readonly mask: (text: string, least?: Least) => string
  readonly isIn: (text: string, least?: Least) => boolean
}

export const createCodeMasker = (codes: readonly string[]): CodeMasker => {
  const { replace, isIn } = createCodeFinder(codes)
  return { mask: (text, least) => replace(text, maskSecret, least), isIn }
}

// Terms may name a PIN that is in no field. Only the words before it identify it: 'Your PIN is 4711'.
const findNamedPin = () =>
  /(?<![a-z0-9])((?:pins?|pin[ -]?codes?|cvv2?|cvc2?|passcode|password)(?:[\s:=#"'(-]|\b(?:is|was|code|number|no\.?|nr\.?|lautet|ist|est|es)(?![a-z0-9]))*)(\d{4,12})(?!\d|-\d\d-\d\d)/gi

const maskNamedPins = (text: string): string => {
  // Checked first: the pattern takes longer to compile than most orders take to mask.
  if (!/\d{4}/.test(text) || !/pin|cv[cv]|pass/i.test(text)) return text
  return text.replace(findNamedPin(), (_, before: string, pin: string) => before + maskSecret(pin))
}

/** For the terms of a card, which may be the only place of its code: also masks what looks like a code or a PIN. */
export const maskTerms = (text: string, { mask }: CodeMasker): string =>
  replaceInPlain(mask(text), (part) => maskNamedPins(replaceLookalikes(part, maskSecret)))
