// The names of fields that hold something to redeem, at any depth and in any spelling.
import { isAscii } from './letters.ts'

// Compared as texts: to compile patterns of as many words would take a millisecond at each start.
const words = (text: string): readonly string[] => text.split(' ')

const endsWithAny = (name: string, endings: readonly string[]): boolean =>
  endings.some((ending) => name.endsWith(ending))

/** The name itself if it has none of the endings. */
const withoutEnding = (name: string, endings: readonly string[]): string => {
  const ending = endings.find((each) => name.endsWith(each))
  return ending === undefined ? name : name.slice(0, -ending.length)
}

/** `redeemPin`, `redeem_pin` and `RedeemPIN` are one name. */
export const nameOf = (key: string): string =>
  (isAscii(key) ? key : key.normalize('NFKC')).toLowerCase().replaceAll(/[^a-z0-9]/g, '')

const addresses = words('url urls link links uri uris href hrefs')
const numbers = words('no nr num number nos nrs nums numbers')
// `pinValue`, `qr_data`, `serial-no`.
const contents = words('value values data text texts string strings plain raw hash image images img imgs')
const parts = [...addresses, ...numbers, ...contents]

const secrets = words(
  'pin serial barcode qr token secret password passwd passphrase passwort pwd otp cvv cvv2 cvc cvc2 csc ' +
    'licensekey licencekey productkey gamekey cdkey steamkey activationkey unlockkey accesskey apikey authkey privatekey',
)
// Their addresses are as good as codes: `gift_card_url`.
const goods = words('card cards gift gifts pass passes code codes download delivery unlock access')

const isSecretNoun = (name: string): boolean =>
  endsWithAny(name, secrets) || (name.endsWith('s') && endsWithAny(name.slice(0, -1), secrets))

const isPartOfSecret = (name: string): boolean =>
  isSecretNoun(name) ||
  isSecretNoun(withoutEnding(name, parts)) ||
  (endsWithAny(name, addresses) && endsWithAny(withoutEnding(name, addresses), goods)) ||
  (endsWithAny(name, numbers) && endsWithAny(withoutEnding(name, numbers), ['card', 'cards']))

const voucherVerbs = words('redeem redemption claim activation')
// `voucherType`, `redeem_status`, `claimCount`.
const descriptions = words(
  'type format count quantity state status currency country language date deadline period',
)

const isOfVoucher = (name: string): boolean => {
  if (name.includes('voucher') || name.includes('coupon')) return true
  const rest = voucherVerbs.filter((verb) => name.startsWith(verb)).map((verb) => name.slice(verb.length))[0]
  // Not redeemedAt, redeemable, or what surrounds them all.
  return rest !== undefined && !/^(?:ed|able|ing|s?$|instructions?$)/.test(rest)
}

// Codes of these buy nothing: `language_code`, `error.code`.
const harmlessOwners = words(
  'language lang locale currency country region state status error errors reason response result http exit postal ' +
    'post zip area dial dialing calling phone product item category type tax iso',
)

/** What the code is of, or undefined if the name is not that of a code: `currency` of `currencyCode`. */
const ownerOfCode = (name: string): string | undefined =>
  [name, withoutEnding(name, parts)]
    .map((each) => [each, withoutEnding(each, ['code', 'codes'])] as const)
    .find(([each, owner]) => each !== owner)?.[1]

/** Whether the name is that of a code of any kind, a harmless one or a secret one. */
export const isCodeName = (name: string): boolean => ownerOfCode(name) !== undefined

// By themselves these say nothing. Of a card they are what it is redeemed by: `card.url`, `gift_cards[].number`.
const plainNames = new Set([...addresses, ...numbers, 'key', 'keys'])
const cards = new Set(
  words('card cards giftcard giftcards digitalcard digitalcards ecard ecards gift gifts pass passes'),
)

/** Takes names as `nameOf` returns them. A `code` by itself is the code of its parent. */
export const isSecretName = (name: string, parent: string): boolean => {
  const owner = ownerOfCode(name)
  if (owner !== undefined) return !endsWithAny(owner === '' ? parent : owner, harmlessOwners)
  if (plainNames.has(name)) return cards.has(parent)
  return isPartOfSecret(name) || (!endsWithAny(name, descriptions) && isOfVoucher(name))
}
