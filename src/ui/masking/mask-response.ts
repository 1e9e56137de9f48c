// Masks a response: what is shown without --reveal. Codes, PINs, serial numbers and links are masked, also where a text repeats
// them. Only documented fields show their values, so an undocumented shape cannot show a code.

import { type Decimal, formatDecimal, isDecimal } from '../../contract/money/decimal.ts'
import { findCards, listSecrets, secretFields } from '../../contract/order/redeem-cards.ts'
import { createdOrder, order } from '../../contract/schemas.ts'
import { type Entries, listEntries, normalizeCurrency, type Shape } from '../../contract/shape.ts'
import { hiddenMark, isShownState } from '../../contract/states.ts'
import { formatPath } from '../../contract/violations.ts'
import {
  createCodeFinder,
  decodeText,
  findLookalikes,
  getCharacterPattern,
  type Least,
  replaceInPlain,
  replaceLookalikes,
  replaceNamedPins,
} from '../../text/known-codes.ts'
import { toInstant } from '../text/formats.ts'

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

/** The parts of a host before its domain that look like a code. */
const findCodesInHost = ({ hostname }: URL): string[] =>
  findLookalikes(hostname.split('.').slice(0, -2).join('.'))

/** Keeps only the host. The user name, the path and the query may hold the code. */
export const maskLink = (link: string): string => {
  if (link.trim() === '') return ''
  const url = URL.parse(link.trim())
  const isShown = url !== null && /^https?:$/.test(url.protocol) && findCodesInHost(url).length === 0
  return isShown && url.host !== '' ? `${url.host}/…` : dots
}

/** Masks a secret that may be a link or a code. */
export const maskSecret = (secret: string): string =>
  URL.canParse(secret.trim()) ? maskLink(secret) : maskCode(secret)

/** The parts of a link that may be a code. */
const findCodesInLink = (link: string): string[] => {
  const url = link.includes('://') ? URL.parse(link.trim()) : null
  if (url === null) return []
  const parts = decodeText(url.pathname + url.search + url.hash).split(/[/?&=#]/)
  return [...findCodesInHost(url), ...parts.filter((part) => part.length >= 8 && /\d|^[A-Z_-]+$/.test(part))]
}

/** The secrets of all cards, and the parts of their links. `own`: texts of the order that a link may contain. */
export const listCodes = (redeem: unknown, own: readonly unknown[] = []): string[] => {
  const codes = listSecrets(findCards(redeem))
  const skus = (listEntries(redeem) ?? []).map(([sku]) => sku)
  const parts = codes.flatMap(findCodesInLink).filter((part) => ![...own, ...skus].includes(part))
  return [...codes, ...parts]
}

type CodeMasker = {
  readonly mask: (text: string, least?: Least) => string
  readonly isIn: (text: string, least?: Least) => boolean
  readonly hasNone: boolean
}

export const createCodeMasker = (codes: readonly string[]): CodeMasker => {
  const { replace, isIn } = createCodeFinder(codes)
  return { mask: (text, least) => replace(text, maskSecret, least), isIn, hasNone: codes.length === 0 }
}

/**
 * For the terms of a card, which may be the only place of its code: also masks what looks like a code or a PIN, and
 * everything if the order shows no other code.
 */
export const maskTerms = (text: string, { mask, hasNone }: CodeMasker): string =>
  hasNone
    ? hiddenMark
    : replaceInPlain(mask(text), (part) => replaceNamedPins(replaceLookalikes(part, maskSecret), maskSecret))

/** The JSON Schema of a documented field. */
type Field = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Field>>
  /** Of every other key. */
  readonly additionalProperties?: Field
  readonly items?: Field
  readonly anyOf?: readonly Field[]
}

/** Joins alternatives: the redeem data has two documented shapes. */
const toField = (shape: Shape<unknown>): Field => {
  const field = shape.schema(toField) as Field
  const options = field.anyOf?.filter(({ type }) => type !== 'null')
  if (options === undefined) return field
  return { ...options[0], properties: Object.assign({}, ...options.map(({ properties }) => properties)) }
}

const secretNames: ReadonlySet<string> = new Set(Object.values(secretFields))

// The pattern comes first, because parsing is slow and most texts are not dates.
const isDate = (text: string): boolean => /^\s*\d{4}-/.test(text) && toInstant(text) !== undefined

export const maskText = (name: string, text: string, codes: CodeMasker): string => {
  switch (name) {
    // orderctl has asked for this id, or the service has just made it.
    case 'uid':
    case 'id':
      return text
    case 'sku':
      return codes.isIn(text, 'long') ? hiddenMark : text
    case 'state':
      return isShownState(text, codes.isIn) ? text : hiddenMark
    case 'currency':
    case 'targetCurrency':
    case 'baseCurrency':
    case 'wallet':
      return text === '' || (normalizeCurrency(text) !== undefined && !codes.isIn(text, 'likely'))
        ? text
        : hiddenMark
    case 'reference':
      return codes.mask(text, 'long')
    case 'expirationDate':
      return isDate(text) ? text : maskTerms(text, { ...codes, hasNone: false })
    case 'languageCode':
    case 'tnc':
    case 'tncHtml':
    case 'redeem':
    case 'redeemHtml':
      return maskTerms(text, codes)
    default:
      return codes.mask(text, 'likely')
  }
}

type Masking = {
  readonly codes: CodeMasker
  /** The names of the fields around the value. Lists have none. */
  readonly path: string[]
  /** The paths of the undocumented values. */
  readonly hidden: Set<string>
}

/** Whether the value is an entry of the redeem data, or below one. */
const isInEntry = ({ path }: Masking): boolean => path[0] === 'redeem' && path.length > 1

/** The name of an undocumented field, or of a documented one: a SKU or a currency. */
const maskName = (
  name: string,
  isDocumented: boolean,
  masking: Masking,
  taken: ReadonlySet<string>,
): string => {
  // Cards may be an undocumented object, with their codes as names.
  const isFree = isInEntry(masking) || (!isDocumented && masking.path.length > 0)
  const mayBeCode = isFree && findLookalikes(name).length > 0
  if (!mayBeCode && !masking.codes.isIn(name, isDocumented ? 'long' : 'likely')) return name
  let masked = hiddenMark
  for (let count = 2; taken.has(masked); count += 1) masked = `${hiddenMark}${count}`
  return masked
}

/** The value of a redeem field: a secret, or secrets in lists and objects. */
const secret: Field = {
  type: 'secret',
  get additionalProperties() {
    return secret
  },
}

const maskLeaf = (value: string | number | Decimal, field: Field | undefined, masking: Masking): unknown => {
  const { codes, path, hidden } = masking
  const { type } = field ?? {}
  const text = typeof value === 'string' ? value : isDecimal(value) ? formatDecimal(value) : String(value)
  // In the place of a card, the value is its code.
  if (type === 'secret' || (isInEntry(masking) && (type === 'object' || type === 'array')))
    return maskSecret(text)
  if (typeof value !== 'string') {
    if (type === 'number' || type === 'integer') return value
  } else if (text.trim() === '') return value
  else if (type === 'string') return maskText(path.at(-1) ?? '', text, codes)
  hidden.add(formatPath(path))
  return null
}

const maskEntries = (entries: Entries, field: Field | undefined, masking: Masking): [string, unknown][] => {
  const { path } = masking
  // The cards may be an object with numbers as keys.
  const item = field?.type === 'array' ? field.items : undefined
  const { properties = {}, additionalProperties = item } = item ?? field ?? {}
  const taken = new Set<string>()
  return entries.map(([key, value]) => {
    const documented = Object.hasOwn(properties, key) ? properties[key] : undefined
    const known = isInEntry(masking) && secretNames.has(key) ? secret : documented
    const name = known === undefined ? maskName(key, additionalProperties !== undefined, masking, taken) : key
    taken.add(name)
    path.push(name)
    const masked = maskValue(value, known ?? additionalProperties, masking)
    path.pop()
    return [name, masked]
  })
}

const maskValue = (value: unknown, field: Field | undefined, masking: Masking): unknown => {
  if (typeof value === 'string' || typeof value === 'number' || isDecimal(value))
    return maskLeaf(value, field, masking)
  if (Array.isArray(value)) {
    const item = field?.type === 'array' ? field.items : field
    return value.map((each) => maskValue(each, item, masking))
  }
  const entries = listEntries(value)
  // A boolean or null has no room for a code.
  if (entries === undefined) return value
  const masked = maskEntries(entries, field, masking)
  return value instanceof Map ? new Map(masked) : Object.fromEntries(masked)
}

/**
 * Masks a response, or a part of `whole`: an order, or the response to create. `hidden` lists the paths of the values that
 * are not documented, and is null in their places. A path through a list has no number, like those of --fields.
 */
export const maskResponse = <Shown extends object>(
  shown: Shown,
  whole: { readonly uid?: unknown; readonly reference?: unknown; readonly redeem?: unknown } = shown,
): Shown & { readonly hidden?: readonly string[] } => {
  const { uid, reference, redeem } = whole
  const hidden = new Set<string>()
  const masking = { codes: createCodeMasker(listCodes(redeem, [uid, reference])), path: [], hidden }
  const field = toField(uid === undefined ? createdOrder : order)
  const masked = maskValue(shown, field, masking) as Shown
  return hidden.size === 0 ? masked : { ...masked, hidden: [...hidden] }
}

/** For screens, which show documented fields only, and mask the cards themselves. */
export const maskOrder = <Shown extends { readonly uid: string; readonly redeem?: unknown }>(
  order: Shown,
): Shown => {
  const { redeem, ...rest } = order
  return { ...(maskResponse(rest, order) as unknown as Shown), redeem }
}
