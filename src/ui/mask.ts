// Codes, PINs, serial numbers and links made fit to be seen: redeem codes are cash.
import { meaningfulIn } from '../contract/lookalikes.ts'

/** Says nothing of the length. */
const dots = '••••'

const leastLong = 12
const shownAtMost = 4

/** A long code keeps its last four characters, so that two can be told apart; a short one nothing. */
export const maskCode = (code: string): string => {
  if (code.trim() === '') return ''
  const characters = code.match(meaningfulIn(code)) ?? []
  return characters.length < leastLong ? dots : dots + characters.slice(-shownAtMost).join('')
}

/** The host alone: everything after it, and a user's name before it, may be the code. */
export const maskLink = (link: string): string => {
  if (link.trim() === '') return ''
  const url = URL.parse(link.trim())
  return url !== null && /^https?:$/.test(url.protocol) && url.host !== '' ? `${url.host}/…` : dots
}

/** By what it looks like, where nothing says what it is. */
export const maskSecret = (secret: string): string =>
  URL.canParse(secret.trim()) ? maskLink(secret) : maskCode(secret)
