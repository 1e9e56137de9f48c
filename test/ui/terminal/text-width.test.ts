// Text widths equal those of string-width.
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { widthOf } from '../../../src/ui/terminal/text.ts'

test('the shortcut for plain characters agrees with string-width', () => {
  const characters = Array.from({ length: 0x3000 }, (_, code) => String.fromCodePoint(code))
  // Control characters never come so far: a text is made safe first.
  const safe = characters.filter((character) => !/\p{Cc}/u.test(character))
  expect(safe.filter((character) => widthOf(character) !== stringWidth(character))).toEqual([])
})
