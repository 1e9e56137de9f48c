// Recognises the names of fields that hold a redeemable secret, at any depth and in any spelling.
import { isAscii } from './mask-codes.ts'

// Compared as strings: compiling regular expressions of these words takes a millisecond at each start.
const splitWords = (text: string): readonly string[] => text.split(' ')

const endsWithAny = (name: string, endings: readonly string[]): boolean =>
  endings.some((ending) => name.endsWith(ending))

/** Returns the name itself if it has none of the endings. */
const removeEnding = (name: string, endings: readonly string[]): string => {
  const ending = endings.find((each) => name.endsWith(each))
  return ending === undefined ? name : name.slice(0, -ending.length)
}

/** `redeemPin`, `redeem_pin` and `RedeemPIN` become `redeempin`. */
export const normalizeName = (key: string): string =>
  (isAscii(key) ? key : key.normalize('NFKC')).toLowerCase().replaceAll(/[^a-z0-9]/g, '')

const addresses = splitWords('url urls link links uri uris href hrefs')
const numbers = splitWords('no nr num number nos nrs nums numbers')
// `pinValue`, `qr_data`, `serial-no`.
const contents = splitWords(
  'value values data text texts string strings plain raw hash image images img imgs',
)
const parts = [...addresses, ...numbers, ...contents]

const secrets = splitWords(
  'pin serial barcode qr token secret password passwd passphrase passwort pwd otp cvv cvv2 cvc cvc2 csc ' +
    'licensekey licencekey productkey gamekey cdkey steamkey activationkey unlockkey accesskey apikey authkey privatekey',
)
// The address of one of these is as valuable as a code: `gift_card_url`.
const goods = splitWords('card cards gift gifts pass passes code codes download delivery unlock access')

const isSecretNoun = (name: string): boolean =>
  endsWithAny(name, secrets) || (name.endsWith('s') && endsWithAny(name.slice(0, -1), secrets))

const isPartOfSecret = (name: string): boolean =>
  isSecretNoun(name) ||
  isSecretNoun(removeEnding(name, parts)) ||
  (endsWithAny(name, addresses) && endsWithAny(removeEnding(name, addresses), goods)) ||
  (endsWithAny(name, numbers) && endsWithAny(removeEnding(name, numbers), ['card', 'cards']))

const voucherVerbs = splitWords('redeem redemption claim activation')
// `voucherType`, `redeem_status`, `claimCount`.
const descriptions = splitWords(
  'type format count quantity state status currency country language date deadline period',
)

const isOfVoucher = (name: string): boolean => {
  if (name.includes('voucher') || name.includes('coupon')) return true
  const rest = voucherVerbs.filter((verb) => name.startsWith(verb)).map((verb) => name.slice(verb.length))[0]
  // Excludes `redeemedAt`, `redeemable`, `redeeming`, and the objects `redeem` and `redeemInstructions`.
  return rest !== undefined && !/^(?:ed|able|ing|s?$|instructions?$)/.test(rest)
}

// Their codes are not redeemable: `language_code`, `error.code`.
const harmlessOwners = splitWords(
  'language lang locale currency country region state status error errors reason response result http exit postal ' +
    'post zip area dial dialing calling phone product item category type tax iso',
)

/** `currency` for `currencyCode`; undefined if the name is not that of a code. */
const findCodeOwner = (name: string): string | undefined =>
  [name, removeEnding(name, parts)]
    .map((each) => [each, removeEnding(each, ['code', 'codes'])] as const)
    .find(([each, owner]) => each !== owner)?.[1]

/** Whether the name is that of a code, secret or harmless. */
export const isCodeName = (name: string): boolean => findCodeOwner(name) !== undefined

// Secrets only inside a card: `card.url`, `gift_cards[].number`.
const plainNames = new Set([...addresses, ...numbers, 'key', 'keys'])
const cards = new Set(
  splitWords('card cards giftcard giftcards digitalcard digitalcards ecard ecards gift gifts pass passes'),
)

/** Expects normalized names. A bare `code` is the code of its parent. */
export const isSecretName = (name: string, parent: string): boolean => {
  const owner = findCodeOwner(name)
  if (owner !== undefined) return !endsWithAny(owner === '' ? parent : owner, harmlessOwners)
  if (plainNames.has(name)) return cards.has(parent)
  return isPartOfSecret(name) || (!endsWithAny(name, descriptions) && isOfVoucher(name))
}
