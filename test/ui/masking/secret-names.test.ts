// Field names that suggest a secret, in any spelling.
import { expect, test } from 'vitest'
import { isSecretName, normalizeName } from '../../../src/ui/masking/secret-names.ts'

const isSecret = (name: string, parent = 'extra'): boolean =>
  isSecretName(normalizeName(name), normalizeName(parent))

const secret = [
  'pin PIN pins cardPin card_pin pinNo pin-number pinValue pinUrl code codes Code giftCode gift-card-code CodeText',
  'serial serials serialNo serial_number SERIAL-NR voucher vouchers voucherId coupon couponValue',
  'token accessToken card_token token-value secret clientSecret password passwd pass-phrase passcode PASSWORD pwd otp',
  'cvv CVV2 cvc cvc2 csc barcode barcodeValue barCode barcode_image qr qrData qrCode qr-code-url',
  'cardNumber card_no giftCardNumber licenseKey licence-key productKey cd_key apiKey activationKey',
  'cardUrl card_link giftLink gift-card-url passUrl downloadLink codeLink redemptionUrl redeemBy claimLink ＰＩＮ',
].flatMap((names) => names.split(' '))

test.each(secret)('%s is secret', (name) => {
  expect(isSecret(name)).toBe(true)
})

const harmless = [
  'note name sku uid id reference state status message shipping spinner pinned opinion mapping topic broken',
  'languageCode language_code currency-code countryCode statusCode errorCode error_code reasonCode resultCode postalCode zipCode',
  'productCode errorCodeText barcodeType voucherType voucherCount voucher_status couponCurrency redeemed redeemedAt redeemable',
  'redeem redeemInstructions redemptions redeemStatus activationDate activating url link imageUrl webhookUrl number key keys',
  'serialized serialization tokenType codec encoded hasPinPad quote quantity cardType cards idempotencyKey publicKey',
].flatMap((names) => names.split(' '))

test.each(harmless)('%s is not secret', (name) => {
  expect(isSecret(name)).toBe(false)
})

test.each([
  ['code', 'error', false],
  ['code', 'result', false],
  ['codes', 'errors', false],
  ['code', 'country', false],
  ['code', 'item', false],
  ['code', 'redeem', true],
  ['code', 'card', true],
  ['url', 'card', true],
  ['link', 'cards', true],
  ['href', 'giftCard', true],
  ['number', 'gift_cards', true],
  ['key', 'eCard', true],
  ['uri', 'gift', true],
  ['url', 'shopItem', false],
  ['number', 'invoice', false],
  ['url', 'postcards', false],
  ['brand', 'card', false],
])('%s in %s', (name, parent, expected) => {
  expect(isSecret(name, parent)).toBe(expected)
})
