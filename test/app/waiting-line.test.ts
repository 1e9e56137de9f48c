// The progress line.
import { expect, test } from 'vitest'
import { framesFor, renderWaiting } from '../../src/app/notes.ts'
import { themeFor } from '../../src/ui/terminal/view.ts'
import { inWords } from '../ui/screens.ts'

const plain = themeFor({ colour: false })
const ascii = framesFor({ environment: {}, platform: 'linux' })

test('names the operation, and after one second the elapsed time', () => {
  const at = (ms: number, turn: number) => renderWaiting({ what: 'asking', ms, turn }, ascii, plain)
  expect([at(300, 0), at(400, 1), at(500, 2), at(999, 3), at(1_000, 4), at(75_400, 5)]).toEqual([
    '| asking\n',
    '/ asking\n',
    '- asking\n',
    '\\ asking\n',
    '| asking  1 s\n',
    '/ asking  1 min\n',
  ])
})

test('is dim if colour is on', () => {
  const line = renderWaiting({ what: 'asking', ms: 0, turn: 0 }, ascii, themeFor({ colour: true }))
  expect(inWords(line)).toBe('<quiet>| asking</>\n')
})

test.each<[string, string, Record<string, string>, string]>([
  ['⠋', 'a UTF-8 locale', { LANG: 'de_DE.UTF-8' }, 'linux'],
  ['⠋', 'LC_ALL over LANG', { LC_ALL: 'en_US.UTF-8', LANG: 'C' }, 'linux'],
  ['|', 'LC_ALL=C over LANG', { LC_ALL: 'C', LANG: 'en_US.UTF-8' }, 'linux'],
  ['|', 'an empty LC_ALL and a plain LC_CTYPE', { LC_ALL: '', LC_CTYPE: 'POSIX', LANG: 'C.UTF-8' }, 'linux'],
  ['|', 'no locale', {}, 'linux'],
  ['⠋', 'no locale', {}, 'darwin'],
])('begins with %s for %s: %j on %s', (first, _locale, variables, platform) => {
  expect(framesFor({ environment: variables, platform })[0]).toBe(first)
})
