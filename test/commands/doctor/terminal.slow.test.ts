// doctor on a real terminal: it fits the width, and never waits for a response.
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { folder } from '../../support/orderctl.ts'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'

const reason = noTerminal()

describe.skipIf(reason !== undefined)('on a terminal', () => {
  test.each([60, 80, 120])('of %i columns', async (columns) => {
    // In one home, because the length of its path decides where lines wrap.
    const env = { HOME: folder(), COLUMNS: String(columns) }
    const [plain, coloured] = [onTerminal(['doctor', '--no-color'], env), onTerminal(['doctor'], env)]
    expect([await plain.ended, await coloured.ended]).toEqual([0, 0])
    const lines = plain.text().split('\n')
    // doctor never wraps a path, so that users can copy it.
    const wide = lines.filter((line) => stringWidth(line) > columns && !line.includes('/'))
    expect(wide).toEqual([])
    expect(plain.raw()).not.toContain('\u001b[3')
    expect(coloured.raw()).toContain('\u001b[32mok\u001b[39m')
    // Another process may write compiled code into the cache at the same time.
    const steady = (text: string): string => text.replace(/^ +[\d.]+ (B|KiB|MiB)(?= )/gm, 'SIZE')
    expect(steady(coloured.text())).toBe(steady(plain.text()))
    expect(lines.at(-2)).toBe('No problems found')
  })
})
