// What doctor says about the terminal, by its streams and its variables.
import { chmodSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDesk } from './desk.ts'

const terminals = ['stdin', 'stdout', 'stderr'] as const

test.each<[Record<string, string>, string, string, string]>([
  [{ COLUMNS: '50' }, 'Width', 'warning', '50 columns: tables become lists'],
  [{ COLUMNS: '60' }, 'Width', 'ok', '60 columns'],
  [{}, 'Colour', 'ok', 'on'],
  [{ NO_COLOR: '1' }, 'Colour', 'ok', 'off, by NO_COLOR'],
  [{ ORDERCTL_NO_COLOR: '1' }, 'Colour', 'ok', 'off, by ORDERCTL_NO_COLOR'],
  [{ FORCE_COLOR: '0' }, 'Colour', 'ok', 'off, by FORCE_COLOR'],
  [{ FORCE_COLOR: '1' }, 'Colour', 'ok', 'on, by FORCE_COLOR'],
  [{ TERM: 'dumb' }, 'Colour', 'ok', 'off, because TERM is dumb'],
  [{ LANG: 'C' }, 'Characters', 'warning', 'the locale is not UTF-8'],
  [{}, 'Clipboard', 'ok', 'the terminal, if it allows that (OSC 52)'],
  [{ TERM: 'dumb' }, 'Clipboard', 'warning', 'none: redeem --copy does not work here'],
])('%j: %s', async (env, name, status, detail) => {
  const { find } = await openDesk().examine({ env: { TERM: 'xterm', ...env }, terminals })
  expect(find(name)).toMatchObject({ status, detail })
})

test('the clipboard is a program only if it is installed', async () => {
  const desk = openDesk()
  const env = { DISPLAY: ':0', TERM: 'dumb', PATH: path.join(desk.home, 'bin') }
  expect((await desk.examine({ env, terminals })).find('Clipboard')?.status).toBe('warning')
  chmodSync(desk.put('bin/xsel', '#!/bin/sh\n'), 0o755)
  expect((await desk.examine({ env, terminals })).find('Clipboard')).toMatchObject({
    status: 'ok',
    detail: 'xsel',
  })
})
