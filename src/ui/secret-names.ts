// The names of fields that hold something to redeem, at any depth and in any spelling.

/** `redeemPin`, `redeem_pin` and `RedeemPIN` are one name. */
export const nameOf = (key: string): string =>
  /^[a-z0-9]*$/.test(key)
    ? key
    : key
        .normalize('NFKC')
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, '')

// What follows the noun: `pinValue`, `voucherUrl`, `serial_no`.
const held =
  '(?:values?|data|texts?|strings?|plain|raw|hash|images?|img|urls?|links?|uris?|no|nr|num|numbers?)?'

const secretNames = [
  `(?:pin|serial|barcode|qr|token|secret|password|passwd|passphrase|passwort|pwd|otp|cvv|cvv2|cvc|cvc2|csc)s?${held}`,
  '(?:gift|e|digital)?cards?(?:no|nr|num|numbers?)',
  '(?:licen[cs]e|product|game|cd|steam|activation|access|api|auth|private|digital|unlock)keys?',
  '(?:cards?|gifts?|pass|passes|code|codes|download|delivery|unlock|access)(?:urls?|links?|uris?|hrefs?)',
].map((name) => new RegExp(`${name}$`))

const secretWords = [
  /voucher|coupon/,
  // Not redeemedAt, redeemable, or what surrounds them all.
  /^(?:redeem|redemption|claim|activation)(?!ed|able|ing|s?$|instructions?$)./,
]
// `voucherType`, `redeemStatus`, `claim_count`.
const aboutIt = /(?:type|format|count|quantity|state|status|currency|country|language|date|deadline|period)$/

// Codes of these buy nothing: `language_code`, `error.code`.
const harmlessCode = new RegExp(
  `(?:${[
    'language lang locale currency country region state status error errors reason response result',
    'http exit postal post zip area dial dialing calling phone product item category type tax iso',
  ]
    .flatMap((words) => words.split(' '))
    .join('|')})$`,
)
const codeName = new RegExp(`^(.*?)codes?${held}$`)

/** Whether the name is that of a code of any kind, a harmless one or a secret one. */
export const isCodeName = (name: string): boolean => codeName.test(name)

// By themselves these say nothing; of a card they are what it is redeemed by: `card.url`, `gift_cards[].number`.
const ofCard = /^(?:urls?|links?|uris?|hrefs?|no|nr|num|numbers?|keys?)$/
const card = /(?:^|gift|digital|^e)cards?$|^gifts?$|^pass(?:es)?$/

/** Takes names as `nameOf` returns them. A `code` by itself is the code of its parent. */
export const isSecretName = (name: string, parent: string): boolean => {
  const [, what] = codeName.exec(name) ?? []
  if (what !== undefined) return !harmlessCode.test(what === '' ? parent : what)
  if (ofCard.test(name)) return card.test(parent)
  if (secretNames.some((pattern) => pattern.test(name))) return true
  return !aboutIt.test(name) && secretWords.some((pattern) => pattern.test(name))
}
