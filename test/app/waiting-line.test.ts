// The progress line.
import { expect, test } from 'vitest'
import { framesFor } from '../../src/app/terminal.ts'

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
