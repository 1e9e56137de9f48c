// orderctl report on a real terminal, at 60, 80 and 120 columns.
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { openWorld } from '../../support/world.ts'
import { fillJournal } from './charged-journal.ts'

describe.skipIf(noTerminal() !== undefined)('a report on a terminal', () => {
  const draw = async (columns: number, more = {}) => {
    const shop = await openWorld()
    await fillJournal(shop.home)
    const env = { ORDERCTL_STATE_DIR: path.join(shop.home, 'state'), COLUMNS: String(columns), ...more }
    const terminal = onTerminal(['report', '--since', '2026-01', '--until', '2026-03'], env)
    expect(await terminal.ended).toBe(0)
    return terminal
  }

  test.each([60, 80, 120])('of %i columns', async (columns) => {
    const terminal = await draw(columns, { NO_COLOR: '1' })
    expect(terminal.raw()).not.toContain('\u001b[')
    expect(terminal.screen().trimEnd()).toMatchSnapshot()
  })

  test.each([60, 80, 120])('of %i columns with colour, whose text is the same', async (columns) => {
    const coloured = await draw(columns)
    const plain = await draw(columns, { NO_COLOR: '1' })
    expect(coloured.raw()).toContain('\u001b[1m')
    expect(coloured.text()).toBe(plain.text())
  })
})
