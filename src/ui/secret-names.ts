// Fields that hold something to redeem, by their names, wherever they stand and however they are spelt.

/** `redeemPin`, `redeem_pin` and `RedeemPIN` are one name. */
export const nameOf = (key: string): string => key.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

const secret = [
  /pins?$|^pin(?:no|number)$/,
  /voucher|coupon/,
  /serials?(?:no|nr|num|numbers?)?$/,
  // Not redeemedAt, redeemable, or what surrounds them all.
  /^(?:redeem|redemption|claim|activation)(?!ed|able|ing|s?$|instructions?$)./,
]

// What a code may be of, and buys nothing.
const harmlessCode = new RegExp(
  `(?:${[
    'language lang locale currency country region state status error errors reason response result',
    'http exit postal post zip area dial dialing calling phone product item category type tax iso',
  ]
    .flatMap((words) => words.split(' '))
    .join('|')})$`,
)

/** Names are as `nameOf` has them. A code by itself is the code of what it stands in: `error.code`. */
export const isSecretName = (name: string, parent: string): boolean => {
  const [, what] = /^(.*?)codes?$/.exec(name) ?? []
  if (what !== undefined) return !harmlessCode.test(what === '' ? parent : what)
  return secret.some((pattern) => pattern.test(name))
}
