// HTML of issuers as plain text.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { htmlToText } from '../../../src/ui/cards/cards.ts'
import { isAllRun } from '../../support/cases.ts'

test.each([
  ['<p>One</p><p>Two<br>lines</p>', 'One\n\nTwo\nlines'],
  ['<ol><li>Open</li><li>Enter &amp; confirm</li></ol>', '1. Open\n2. Enter & confirm'],
  ['<a href="https://a.example/?x=1&amp;y=2">here</a>', 'here (https://a.example/?x=1&y=2)'],
  ['<a href="javascript:alert(1)">here</a>', 'here'],
  ['<!-- <b>no</b> -->yes<!-- open', 'yes'],
  ['https://r.example/?pin=1&region=US&copy=2', 'https://r.example/?pin=1&region=US&copy=2'],
  ['&ldquo;Redeem&rdquo; &#322; &#x142; &ouml; 3&nbsp;Jahre &ge;&nbsp;16', '“Redeem” ł ł ö 3 Jahre ≥ 16'],
  ['&amp;lt;b&amp;gt; &unknown; &copy 3 < 4 & 5', '&lt;b&gt; &unknown; © 3 < 4 & 5'],
  ['&#27;[31m &#x202e;x &#0; &#xD800; &#99999999;', '\\u{1b}[31m x \ufffd \ufffd \ufffd'],
  ['soft&shy;hyphen, zero&#8203;width', 'softhyphen, zerowidth'],
  ['<img alt="a > b" src=x> <b title=\'>\'>bold</b>', 'a > b bold'],
  ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
  ['<p dir="rtl">اطلب <bdo dir="ltr">*123*الرمز#</bdo></p>', 'اطلب *123*الرمز#'],
  ['', ''],
])('%s', (html, text) => {
  expect(htmlToText(html)).toBe(text)
})

test('the result never contains forbidden characters', () => {
  const marks = ['<', '>', '"', "'", '&', '#', ';', '/', '!--', '-->', ' ', '&#27;', '\u202e', '8206']
  const mark = fc.constantFrom(...marks, 'p', 'li', 'script', 'x')
  const piece = fc.oneof(mark, fc.string({ unit: 'binary', maxLength: 3 }))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      for (const line of htmlToText(pieces.join('')).split('\n'))
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f]/u)
    }),
  )
})

test.runIf(isAllRun).each(['<', '<a ', '<a href="', '<!--', '&', '<ul><li>', '<p>', ' ', '</a>', '\n<br>'])(
  'a megabyte of %j does not take quadratic time',
  (piece) => {
    const before = performance.now()
    htmlToText(piece.repeat(1_000_000 / piece.length))
    expect(performance.now() - before).toBeLessThan(20_000)
  },
)
