// Suggested commands of a test without flags and variables.
import { expect } from 'vitest'
import { type Advice, type Fix, writeRemedy } from '../../src/errors.ts'
import { createSuggest } from '../../src/text/suggest.ts'

export const suggest = createSuggest({ environment: {}, platform: 'linux' })

/** Matches the fix of a failure. */
export const fixWith = (text: string): unknown =>
  expect.toSatisfy((fix: Fix) => writeRemedy({ fix }, suggest).fix?.includes(text) === true, `names ${text}`)

/** Matches the advice of a failure. */
export const adviceWith = (text: string): unknown =>
  expect.toSatisfy(
    (advice: Advice) => writeRemedy({ advice }, suggest).advice?.includes(text) === true,
    `names ${text}`,
  )
