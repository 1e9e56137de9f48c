// docs/reference.md says what the view says.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type OrderView, viewOrder } from '../../src/operations/view.ts'
import { findViewStyle } from '../../src/ui/screens/state.ts'
import { readRows } from '../support/markdown.ts'

const page = readFileSync('docs/reference.md', 'utf8')

/** The rows of a table below a heading, without its head. */
const readTable = (heading: string): string[][] => {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [body = ''] = section.split(/\n#/)
  return readRows(body)
}

const words = (cell = ''): string[] => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, word]) => word as string)

test('the sentences of each value are those of the screens', () => {
  const rows = readTable('What orderctl knows about an order')
  const unseen = viewOrder(undefined, undefined, { now: 0, serviceNow: undefined, wants: 'shown' })
  const styleOf = (view: Partial<OrderView>): string => findViewStyle({ ...unseen, ...view }).meaning
  for (const [money, progress, sentence] of rows) {
    const [value] = words(money) as OrderView['money'][]
    if (progress?.startsWith('any')) {
      const reading = progress.includes('stranger') ? 'stranger' : 'behind'
      expect(styleOf({ reading })).toBe(sentence)
    } else
      for (const each of words(progress) as OrderView['progress'][])
        expect([value, each, value && styleOf({ money: value, progress: each })]).toEqual([
          value,
          each,
          sentence,
        ])
  }
  expect(rows.length).toBe(17)
})
