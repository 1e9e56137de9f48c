// CSV on a terminal: an order id of the service cannot control the terminal. Pipes and files get the id as it is.
import { expect, test } from 'vitest'
import { fillJournal } from '../commands/report/charged-journal.ts'
import { openWorld } from '../support/world.ts'

const hostile = '\u001b[2J\u0007\u009b31m\u202eevil'
const safe = '\\u{1b}[2J\\u{7}\\u{9b}31m\\u{202e}evil'

test.each(['list --csv', 'report --csv --by person', 'report --items --csv'])(
  '%s makes each cell safe on a terminal, and changes none in a pipe',
  async (line) => {
    const shop = await openWorld()
    const order = { on: '2026-01-05', total: '50', id: hostile, who: hostile }
    await fillJournal(shop.home, [order])
    const words = [...line.split(' '), '--since', '2026-01-01']
    expect((await shop.runIn(words)).stdout).toContain(hostile)
    const { stdout } = await shop.runIn(words, { terminals: ['stdout'] })
    expect(stdout).toContain(safe)
    expect(stdout.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  },
)
