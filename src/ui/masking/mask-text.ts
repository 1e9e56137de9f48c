// Masks the codes in free text.
import { replaceLookalikes } from '../../text/lookalikes.ts'
import { htmlToText } from '../cards/html-text.ts'
import { type CodeMasker, maskSecret } from './mask-codes.ts'

// Terms may name a PIN that is in no field. Only the words before it identify it: 'Your PIN is 4711'.
const namedPin =
  /(?<![a-z0-9])((?:pins?|pin[ -]?codes?|cvv2?|cvc2?|passcode|password)(?:[\s:=#"'(-]|\b(?:is|was|code|number|no\.?|nr\.?|lautet|ist|est|es)(?![a-z0-9]))*)(\d{4,12})(?!\d|-\d\d-\d\d)/gi

// Checked first: `namedPin` takes longer to compile than most orders take to mask.
const mayNamePin = (text: string): boolean => /\d{4}/.test(text) && /pin|cv[cv]|pass/i.test(text)

const maskNamedPins = (text: string): string =>
  !mayNamePin(text)
    ? text
    : text.replace(namedPin, (_, before: string, pin: string) => before + maskSecret(pin))

/** Masks known codes, words that look like codes unless `isKept`, and numbers that the text calls a PIN. */
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

/** Also masks a code that is hidden by entities, tags or percent escapes. The result is then the decoded text. */
export const maskHidden = (text: string, mask: CodeMasker): string => {
  let masked = mask(text)
  const showPlain = (plain: string): void => {
    const again = mask(plain)
    if (again !== plain) masked = again
  }
  if (/[<&]/.test(masked)) showPlain(htmlToText(masked))
  if (masked.includes('%')) showPlain(decodePercents(masked))
  return masked
}
