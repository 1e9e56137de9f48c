// Checks a key before it is stored or sent. No message here shows a key.

import { type Auth, findKeyProblem } from '../contract/auth.ts'
import { Failure } from '../errors.ts'

/** Removes surrounding space, which files and secret stores add. `source` begins the message. */
export const cleanKey = (text: string, auth: Auth, source: string): string => {
  const key = text.trim()
  const problem = findKeyProblem(key, auth)
  if (problem === undefined) return key
  throw new Failure('credentials', `${source} ${problem}`, { fix: 'Copy the complete key again.' })
}
