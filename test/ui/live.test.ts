// src/ui/live.ts, on a terminal in small: what its rows show after each drawing.
import { expect, test } from 'vitest'
import { createLive } from '../../src/ui/live.ts'
import { widthOf } from '../../src/ui/text-width.ts'

/** Writes, moves up and erases as a terminal does; lines break at its width. */
const screenOf = (width: number) => {
  let rows = ['']
  const put = (text: string): void => {
    for (const character of text) {
      if (character === '\n') rows.push('')
      else if (widthOf((rows.at(-1) ?? '') + character) <= screen.width) rows[rows.length - 1] += character
      else rows.push(character)
    }
  }
  const screen = {
    width,
    write: (text: string): void => {
      const plain = text.replaceAll(/\u001b\[[\d;]*m/g, '')
      const [, up] = /^\u001b\[(\d+)A\r\u001b\[J/.exec(plain) ?? []
      if (up !== undefined) rows = [...rows.slice(0, rows.length - 1 - Number(up)), '']
      put(plain.replace(/^\u001b\[\d+A\r\u001b\[J/, ''))
    },
    /** The window made narrower: what does not fit is broken, as most terminals do. */
    narrow: (to: number): void => {
      const before = rows
      screen.width = to
      rows = ['']
      put(before.join('\n'))
    },
    rows: () => rows.slice(0, -1),
  }
  return screen
}

const long = 'ord_0123456789  processing  after 12 s\n'

test('lines that are too wide are cut, and drawn again in their place', () => {
  const screen = screenOf(20)
  screen.write('before\n')
  const live = createLive(screen, true)
  live.show([long, 'ord_2  created\n'])
  live.show([long, long])
  expect(screen.rows()).toEqual(['before', 'ord_0123456789  pro…', 'ord_0123456789  pro…'])
  live.show(['short\n'])
  expect(screen.rows()).toEqual(['before', 'short'])
  live.clear()
  expect(screen.rows()).toEqual(['before'])
})

test('a window made narrower does not leave the old lines behind', () => {
  const screen = screenOf(60)
  const live = createLive(screen, true)
  live.show([long, 'ord_2\n'])
  screen.narrow(20)
  expect(screen.rows()).toHaveLength(3)
  live.show([long])
  expect(screen.rows()).toEqual(['ord_0123456789  pro…'])
})

test('colour is not counted, and ends where it did', () => {
  const written: string[] = []
  const terminal = { width: 9, write: (text: string) => void written.push(text) }
  const live = createLive(terminal, true)
  live.show(['ab \u001b[33mcd\u001b[39m \u001b[2mefg\u001b[22m\n'])
  live.show(['ab \u001b[33m漢字漢字\u001b[39m \u001b[2mefg\u001b[22m\n'])
  expect(written).toEqual([
    'ab \u001b[33mcd\u001b[39m \u001b[2mefg\u001b[22m\n',
    '\u001b[1A\r\u001b[Jab \u001b[33m漢字\u001b[39m\u001b[2m\u001b[22m…\n',
  ])
})

test('where it is off nothing is written', () => {
  const written: string[] = []
  const live = createLive({ width: 80, write: (text) => void written.push(text) }, false)
  live.show([long])
  live.clear()
  expect(written).toEqual([])
})
