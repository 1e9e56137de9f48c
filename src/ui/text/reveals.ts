// Describes how codes were revealed.
import { sanitize } from '../terminal/sanitize.ts'

const ways = new Map([
  ['reveal', 'shown'],
  ['qr', 'shown as a QR code'],
  ['export', 'written to a file'],
  ['copy', 'copied to the clipboard'],
  ['replay', 'sent by listen replay'],
])

/** 'shown as a QR code'. */
export const describeRevealWay = (how: string): string => ways.get(how) ?? sanitize(how)
