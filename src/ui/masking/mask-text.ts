// Free text that may repeat a code: the codes in it are masked, the rest stays.
import { replaceLookalikes } from '../../text/lookalikes.ts'
import { htmlText } from '../cards/html-text.ts'
import { maskSecret } from './mask.ts'
import type { CodeMasker } from './mask-codes.ts'

// No field holds a short PIN that only the terms name, so the word before it has to tell: 'Your PIN is 4711'.
const namedPin =
  /(?<![a-z0-9])((?:pins?|pin[ -]?codes?|cvv2?|cvc2?|passcode|password)(?:[\s:=#"'(-]|\b(?:is|was|code|number|no\.?|nr\.?|lautet|ist|est|es)(?![a-z0-9]))*)(\d{4,12})(?!\d|-\d\d-\d\d)/gi

// The pattern takes longer to compile than most orders to mask.
const mayNamePin = (text: string): boolean => /\d{4}/.test(text) && /pin|cv[cv]|pass/i.test(text)

const maskNamedPins = (text: string): string =>
  !mayNamePin(text)
    ? text
    : text.replace(namedPin, (_, before: string, pin: string) => before + maskSecret(pin))

/** Masks the known codes, words that look like codes unless they are kept, and PINs that the text calls so. */
export const maskText = (
  text: string,
  maskCodes: CodeMasker,
  isKept: (word: string) => boolean = () => false,
): string =>
  maskNamedPins(replaceLookalikes(maskCodes(text), (word) => (isKept(word) ? word : maskSecret(word))))

export const decodePercents = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped)
    } catch {
      return escaped
    }
  })

/** Masks a code also if entities, tags or percent escapes hide it. The text without them is shown then. */
export const maskHidden = (text: string, mask: CodeMasker): string => {
  let masked = mask(text)
  const showPlain = (plain: string): void => {
    const again = mask(plain)
    if (again !== plain) masked = again
  }
  if (/[<&]/.test(masked)) showPlain(htmlText(masked))
  if (masked.includes('%')) showPlain(decodePercents(masked))
  return masked
}
