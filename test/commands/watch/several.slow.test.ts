// The live lines of several watched orders in a real terminal: their layout, its height, and Ctrl-C.
import { describe, expect, test } from 'vitest'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { openWorld, overSocketUnhurried } from '../../support/world.ts'
import { inWords } from '../../ui/screens.ts'

/** One order is final, and the others stay as they are. */
const watched = async (open: number) => {
  const shop = await openWorld(overSocketUnhurried)
  const ended = await shop.confirmed('TEST-FAIL:10')
  await shop.advance('2h')
  const ids = [ended]
  for (let index = 0; index < open; index += 1)
    ids.push(await shop.confirmed(...(index === 0 ? ['GAME-US:25x2', 'COFFEE-US:7.50'] : ['GAME-US:25'])))
  const scrub = (text: string): string =>
    ids
      .reduce((all, id, index) => all.replaceAll(id, `ORDER-${index + 1}`.padEnd(id.length, '.')), text)
      .replace(/after \d+ s/g, 'after 0 s')
      // The warning of a clock that was advanced wraps.
      .replace(/^[\s\S]*clock for expiry\n/, '')
  return { shop, ids, scrub }
}

describe.skipIf(noTerminal() !== undefined)('on a terminal', () => {
  test.each([
    ['60', '1'],
    ['120', ''],
  ])('each order has a line, at %s columns', async (COLUMNS, NO_COLOR) => {
    const { shop, ids, scrub } = await watched(2)
    const { screen, raw, shows, press, ended } = onTerminal(['watch', ...ids], {
      ...shop.environment,
      ...{ COLUMNS, NO_COLOR },
    })
    await shows('1 of 3 final, 2 confirmed')
    if (NO_COLOR === '')
      expect(scrub(inWords(raw()))).toContain('<warning>… confirmed</>  <quiet>after 0 s</>')
    press('\u0003')
    expect(await ended).toBe(130)
    expect(scrub(screen())).toMatch(
      /^Stopped watching; still waiting for: ORDER-2[^\n]*(\n[^\n]+)*\ntry: orderctl watch ORDER-2[. ]+(ORDER-3|sbx_)/,
    )
    expect(screen()).not.toContain(' of 3 final')
  })

  test('the lines stay within the screen, the unfinished orders first', async () => {
    const { shop, ids, scrub } = await watched(8)
    const env = { ...shop.environment, NO_COLOR: '1', COLUMNS: '80', LINES: '7' }
    const { screen, shows, press, ended } = onTerminal(['watch', ...ids], env)
    await shows('1 of 9 final, 8 confirmed')
    const lines = scrub(screen()).split('\n')
    expect(lines).toHaveLength(6)
    expect(lines[0]).toContain('ORDER-2')
    expect(lines.slice(-2)).toEqual(['… and 5 more', '1 of 9 final, 8 confirmed'])
    press('\u0003')
    expect(await ended).toBe(130)
  })
})
