import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hmacSha256 } from '../../../src/operations/cards/hmac-sha256.ts'

const expected = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')

test.each([0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 200])('a text and a key of %d bytes', (length) => {
  const text = 'x'.repeat(length)
  expect(hmacSha256(text, text).toString('hex')).toBe(expected(text, text))
})

test('any key and any text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 })
  fc.assert(
    fc.property(text, text, (key, content) => {
      expect(hmacSha256(key, content).toString('hex')).toBe(expected(key, content))
    }),
  )
})
