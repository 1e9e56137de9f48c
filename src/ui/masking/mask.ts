// Masks codes, PINs, serial numbers and links.
import { getCharacterPattern } from '../../text/lookalikes.ts'

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
