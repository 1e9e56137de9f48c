// Suggested commands of a test without flags and variables.
import { expect } from 'vitest'
import { type Fix, writeFix } from '../../src/errors.ts'
import { createSuggest } from '../../src/text/suggest.ts'

export const suggest = createSuggest({ environment: {}, platform: 'linux' })

/** Matches the fix of a failure. */
export const fixWith = (text: string): unknown =>
  expect.toSatisfy((fix: Fix) => writeFix(fix, suggest)?.includes(text) === true, `names ${text}`)
