// Masks a code, a PIN, a serial number or a link: redeem codes are cash.
import { getCharacterPattern } from '../../text/lookalikes.ts'

// The number of dots does not tell the length of the code.
const dots = '••••'

const leastLettersOfLong = 12
const lettersShown = 4

/** A long code keeps its last four letters or digits, so that two codes can be told apart. */
export const maskCode = (code: string): string => {
  if (code.trim() === '') return ''
  const letters = code.match(getCharacterPattern(code)) ?? []
  return letters.length < leastLettersOfLong ? dots : dots + letters.slice(-lettersShown).join('')
}

/** Keeps the host. The user name before it and everything after it may be the code. */
export const maskLink = (link: string): string => {
  if (link.trim() === '') return ''
  const url = URL.parse(link.trim())
  return url !== null && /^https?:$/.test(url.protocol) && url.host !== '' ? `${url.host}/…` : dots
}

/** Masks a secret of an unknown kind: a link as a link, anything else as a code. */
export const maskSecret = (secret: string): string =>
  URL.canParse(secret.trim()) ? maskLink(secret) : maskCode(secret)
