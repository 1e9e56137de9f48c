// A key as it was given, made fit to be sent. No message here shows one.

import { type Auth, keyProblem } from '../contract/auth.ts'
import { Failure } from '../errors.ts'

/** The key without the space around it, which files and secret stores add. `whence` begins the message. */
export const cleanKey = (text: string, auth: Auth, whence: string): string => {
  const key = text.trim()
  const problem = keyProblem(key, auth)
  if (problem === undefined) return key
  throw new Failure('credentials', `${whence} ${problem}`, {
    fix: 'Copy the key again, alone and in full.',
  })
}
