// No forbidden character of the service reaches the terminal. The full run tries a million texts.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { themeFor } from '../../src/ui/terminal/view.ts'
import { suggest } from '../support/suggest.ts'
import { checkProperty } from './runs.ts'
import { completionLines, sanitizers, screens } from './screens.ts'
import { forbiddenIn, genuine, hostile, isForbidden } from './texts.ts'

const timeout = 1_800_000
const viewOf = (width: number) => ({
  ...{ now: Date.UTC(2026, 6, 24, 13), timeZone: 'UTC', width },
  theme: themeFor({ colour: false }),
  suggest,
})

/** Returns the texts in turn, repeatedly. */
const supplyOf = (texts: readonly string[]) => {
  let count = 0
  return () => texts[count++ % texts.length] ?? ''
}

const texts = fc.array(hostile, { minLength: 20, maxLength: 20 })

describe('no forbidden code point reaches a terminal', () => {
  test('each code point is printed unchanged, or as an escape if it is forbidden', () => {
    const wrong: string[] = []
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const wanted = isForbidden(point) ? `\\u{${point.toString(16)}}` : String.fromCodePoint(point)
      if (sanitizers['on one line']?.(String.fromCodePoint(point)) !== wanted) wrong.push(point.toString(16))
    }
    expect(wrong).toEqual([])
  })

  test.each(Object.entries(sanitizers))('cleaned by: %s', { timeout }, (_name, make) => {
    checkProperty(
      fc.property(texts, (all) => {
        for (const text of all) expect(forbiddenIn(make(text))).toBeUndefined()
      }),
      { quick: 60, full: 50_000 },
    )
  })

  test.each(Object.entries(screens))('on the screen: %s', { timeout }, (_name, draw) => {
    checkProperty(
      fc.property(texts, fc.integer({ min: 1, max: 160 }), (all, width) => {
        expect(forbiddenIn(draw(supplyOf(all), viewOf(width)))).toBeUndefined()
      }),
      { quick: 10, full: 2_000 },
    )
  })

  test('in completion, except the tab that the shells need', { timeout }, () => {
    checkProperty(
      fc.property(texts, (all) => {
        for (const line of completionLines(supplyOf(all)).trimEnd().split('\n'))
          expect(forbiddenIn(line.replace('\t', ''))).toBeUndefined()
      }),
      { quick: 40, full: 10_000 },
    )
  })
})

describe('genuine text stays unchanged, also right-to-left and wide', () => {
  test('in every cleaning function and on every screen that is wide enough', { timeout }, () => {
    checkProperty(
      fc.property(genuine, (text) => {
        expect(sanitizers['on one line']?.(text)).toBe(text)
        expect(sanitizers['over lines']?.(text)).toBe(text)
        expect(sanitizers.HTML?.(`<b>${text}</b>`)).toBe(text)
        expect(sanitizers['as JSON']?.(text)).toBe(JSON.stringify({ [text]: text }))
        for (const name of ['a table', 'an order', 'an explanation', 'a list of orders', 'a failure'])
          expect(screens[name]?.(() => text, viewOf(2_000))).toContain(text)
      }),
      { quick: 25, full: 20_000 },
    )
  })
})
