// Live lines on a simulated terminal: its rows after each drawing.
import { expect, test } from 'vitest'
import { createLive } from '../../../src/ui/terminal/live.ts'
import { screenOf } from '../../support/screen.ts'

const long = 'ord_0123456789  processing  after 12 s\n'

test('wide lines are cut, and redrawn in place', () => {
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

test('a narrower window shows no old lines', () => {
  const screen = screenOf(60)
  const live = createLive(screen, true)
  live.show([long, 'ord_2\n'])
  screen.narrow(20)
  expect(screen.rows()).toHaveLength(3)
  live.show([long])
  expect(screen.rows()).toEqual(['ord_0123456789  pro…'])
})

test('colour codes have no width, and a line that is cut has none', () => {
  const written: string[] = []
  const terminal = { width: 9, write: (text: string) => void written.push(text), beforeNext: () => {} }
  const live = createLive(terminal, true)
  live.show(['ab \u001b[33mcd\u001b[39m \u001b[2mefg\u001b[22m\n'])
  live.show(['ab \u001b[33m漢字漢字\u001b[39m \u001b[2mefg\u001b[22m\n'])
  expect(written).toEqual([
    'ab \u001b[33mcd\u001b[39m \u001b[2mefg\u001b[22m\n',
    '\u001b[1A\r\u001b[Jab 漢字…\n',
  ])
})

test('of two live regions the later one is shown', () => {
  const screen = screenOf(40)
  const [one, other] = [createLive(screen, true), createLive(screen, true)]
  one.show(['one\n'])
  other.show(['other\n'])
  expect(screen.rows()).toEqual(['other'])
  one.clear()
  expect(screen.rows()).toEqual(['other'])
  one.show(['one again\n'])
  other.clear()
  expect(screen.rows()).toEqual(['one again'])
})
