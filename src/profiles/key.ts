// What a key may be made of. No message here shows one.

import type { Auth } from '../contract/auth.ts'
import { Failure } from '../errors.ts'

const maxLength = 8192

/**
 * The key without the space around it, which files and secret stores add. Throws where it could not be sent, or
 * would be sent as something else: a line break in a header begins another header. `whence` begins the message.
 */
export const cleanKey = (text: string, auth: Auth, whence: string): string => {
  const key = text.trim()
  const problem = problemOf(key, auth)
  if (problem === undefined) return key
  throw new Failure('credentials', `${whence} ${problem}`, {
    fix: 'Copy the key again, alone and in full.',
  })
}

const problemOf = (key: string, { kind }: Auth): string | undefined => {
  if (key === '') return 'is empty'
  if (key.length > maxLength) return `is longer than ${maxLength} characters, so it is no key`
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(key)) return 'has a control character or a line break in it'
  // These two are put into a header as they are.
  if ((kind === 'bearer' || kind === 'header') && !/^[\x20-\x7e]+$/.test(key)) {
    return 'has a character in it that a header cannot carry'
  }
  return undefined
}
