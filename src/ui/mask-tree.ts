// A whole JSON value with its codes masked: what --json prints without --reveal.

import { decimalText, isDecimal } from '../contract/decimal.ts'
import { meaningfulIn } from '../contract/lookalikes.ts'
import { cardsIn } from '../contract/redeem-cards.ts'
import { entriesOf } from './entries.ts'
import { maskSecret } from './mask.ts'
import { finderOf, maskHtml, maskText, type SecretFinder } from './mask-text.ts'
import { isSecretName, nameOf } from './secret-names.ts'
import { instantOf } from './time.ts'

const redeemFields = new Set(['redeempin', 'redeemcardcode', 'redeemserialnumber', 'redeemlink'])
const instructions = 'redeeminstructions'

/** Where in the tree one stands: what the strings there are. */
type Place = 'outside' | 'skus' | 'redeem' | 'entry' | 'secret' | 'named' | 'instructions' | 'key'

const placeOf = (key: string, value: unknown, place: Place, parent: string): Place => {
  const name = nameOf(key)
  if (place === 'secret' || place === 'named' || place === 'instructions') return place
  const isTree = entriesOf(value) !== undefined || Array.isArray(value)
  // Right below these stand SKUs, whatever they are called; with a text as its value it is none.
  if (place === 'redeem') return isTree && !redeemFields.has(name) ? 'entry' : 'secret'
  if (place === 'skus' && isTree) return 'outside'
  if (redeemFields.has(name)) return 'secret'
  if (name === instructions) return 'instructions'
  if (place === 'entry') return isSecretName(name, nameOf(parent)) ? 'secret' : place
  if (name === 'redeem') return 'redeem'
  if (name === 'products' && !Array.isArray(value)) return 'skus'
  return isSecretName(name, nameOf(parent)) ? 'named' : 'outside'
}

/** Of every string there one knows, by its field's name. */
const isSecretPlace = (place: Place): boolean => place === 'secret' || place === 'named'

type Leaf = (text: string, key: string, place: Place) => string

const walk = (value: unknown, leaf: Leaf, key = '', place: Place = 'outside'): unknown => {
  if (typeof value === 'string') return leaf(value, key, place)
  if (Array.isArray(value)) return value.map((each) => walk(each, leaf, key, place))
  const entries = entriesOf(value)
  if (entries !== undefined) {
    const walked = entries.map(([name, each]): [string, unknown] => [
      // A code may be a key, too.
      place === 'entry' || place === 'secret' || place === 'named' ? leaf(name, '', 'key') : name,
      walk(each, leaf, name, placeOf(name, each, place, key)),
    ])
    return value instanceof Map ? new Map(walked) : Object.fromEntries(walked)
  }
  if (typeof value !== 'number' && !isDecimal(value)) return value
  const text = isDecimal(value) ? decimalText(value) : String(value)
  // A PIN as a number is still a PIN; face values and counts are none.
  const isCode = isSecretPlace(place) || (place === 'entry' && nameOf(key) !== 'value' && text.length >= 4)
  return isCode ? leaf(text, key, 'secret') : value
}

const open = new Set(['currency', 'expirationdate', 'languagecode'])
const texts = new Set(['tnc', 'tnchtml', 'redeem', 'redeemhtml'])

const nothing: SecretFinder = (text) => text

/** A code in a field that should be open is still a code. */
const isOpen = (text: string, key: string): boolean =>
  open.has(nameOf(key)) &&
  (instantOf(text) !== undefined || (text.length <= 16 && maskText(text, nothing) === text))

const isSecret = (text: string, key: string, place: Place): boolean => {
  if (place === 'outside' || place === 'skus' || place === 'key') return false
  if (place === 'instructions' && texts.has(nameOf(key))) return false
  return isSecretPlace(place) || !isOpen(text, key)
}

type Found = { readonly text: string; readonly key: string; readonly place: Place }

const stringsIn = (tree: unknown): Found[] => {
  const found: Found[] = []
  walk(tree, (text, key, place) => {
    if (text.trim() !== '') found.push({ text, key, place })
    return text
  })
  return found
}

/** Every string that is a secret by its place. */
export const secretsIn = (tree: unknown): string[] => secretsAmong(stringsIn(tree))

const secretsAmong = (strings: readonly Found[]): string[] =>
  strings.filter(({ text, key, place }) => isSecret(text, key, place)).map(({ text }) => text)

// Shorter ones stand by chance in references and names.
const isLong = (secret: string): boolean => (secret.match(meaningfulIn(secret))?.length ?? 0) >= 6

const redeemIn = (tree: unknown): unknown => entriesOf(tree)?.find(([key]) => key === 'redeem')?.[1]

/** What is a code for certain, by its field's name or as a card, and stands nowhere by chance. */
const sureIn = (tree: unknown, strings = stringsIn(tree)): string[] => {
  const named = strings.filter(({ place }) => place === 'secret').map(({ text }) => text)
  const cards = cardsIn(redeemIn(tree)).flatMap(({ code, pin, serial, link }) => [code, pin, serial, link])
  return [...named, ...cards.filter((each) => each !== undefined)].filter(isLong)
}

/** Names, numbers, the order's own fields stay; whatever could be redeemed does not, wherever it stands. */
export const maskTree = (tree: unknown): unknown => {
  const strings = stringsIn(tree)
  const find = finderOf(secretsAmong(strings))
  const findOutside = finderOf(sureIn(tree, strings))
  return walk(tree, (text, key, place) => {
    if (place === 'outside' || place === 'skus') return findOutside(text)
    if (isSecret(text, key, place)) return maskSecret(text)
    if (instantOf(text) !== undefined) return text
    return text.includes('<') || text.includes('&') ? maskHtml(text, find) : maskText(text, find)
  })
}

/** An order fit for a screen: the codes of its cards are masked wherever else they stand, and the cards are its own. */
export const withoutCodes = <Shown extends { readonly uid: string; readonly redeem?: unknown }>(
  order: Shown,
): Shown => {
  const { uid, redeem } = order
  return sureIn({ redeem }).length === 0 ? order : { ...(maskTree(order) as Shown), uid, redeem }
}
