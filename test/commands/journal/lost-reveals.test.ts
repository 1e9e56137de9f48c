// Codes are shown only if it is recorded who sees them: in the journal, or on this machine until the journal has it.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { openMachine } from '../../../src/journal/machine/machine-file.ts'
import { keepEvent } from '../../../src/journal/machine/outbox.ts'
import { refuseEvents } from '../../support/machine-file.ts'
import { openWorld, overSocket } from '../../support/world.ts'
import { buy, openTeam } from './team.ts'

/** A team with a delivered order. */
const openDelivered = async () => {
  const team = await openTeam({ way: overSocket })
  const { exit, stdout, stderr } = await team.run([...buy, '-q'])
  if (exit !== 0) throw new Error(stderr)
  await team.shop.advance('5s')
  const orderId = stdout.trim()
  const exported = path.join(team.shop.home, 'cards.csv')
  return { ...team, orderId, exported, reveals: () => team.json('list', '--reveals') }
}

const code = /SANDBOX-[A-Z0-9-]{8}/
const warning =
  'warning: who sees these codes was saved on this machine, and the next orderctl command will write it to the journal: cannot connect to '

const ways: readonly (readonly [string, string, readonly string[]])[] = [
  ['reveal', '--reveal', ['--reveal']],
  ['reveal', '--only code --reveal', ['--only', 'code', '--reveal']],
  ['export', '--export', ['--export']],
  ['qr', '--qr', ['--qr', '--reveal']],
]

describe('while the database is unreachable', () => {
  test.each(ways)('%s, by %s: it is saved, and the next command records it', async (how, _, flags) => {
    const { run, proxy, kept, orderId, exported, reveals, database } = await openDelivered()
    proxy.refuse(true)
    const words = ['redeem', orderId, ...flags, ...(how === 'export' ? [exported] : [])]
    const { exit, stdout, stderr } = await run(words)
    expect(exit, stderr).toBe(0)
    const shown = how === 'export' ? readFileSync(exported, 'utf8') : stdout
    expect(shown).toMatch(how === 'qr' ? /▄|█/ : code)
    expect(stderr).toContain(warning)
    expect(stderr).toContain('warning: it was not checked whether another order has the same codes\n')
    expect(kept()).toMatchObject([{ reveals: [{ orderId, how }] }])
    expect(JSON.stringify(kept())).not.toMatch(code)

    proxy.refuse(false)
    const expected = [
      { id: orderId, how, by: { role: database.nameOf('ana'), user: 'tester', host: 'desk' } },
    ]
    expect(await reveals()).toMatchObject(expected)
    expect(kept()).toEqual([])
    expect(await reveals()).toMatchObject(expected)
    const { stdout: screen } = await run(['list', '--reveals'], { env: { COLUMNS: '200' } })
    expect(screen).toContain(` ${database.nameOf('ana')} `)
    expect(screen).not.toContain('tester')
  })

  test('if it cannot be saved either, nothing is shown', async () => {
    const { run, proxy, state, orderId, exported, reveals } = await openDelivered()
    await refuseEvents(state)
    proxy.refuse(true)
    for (const [how, , flags] of ways) {
      const words = ['redeem', orderId, ...flags, ...(how === 'export' ? [exported] : [])]
      const { exit, stdout, stderr } = await run(words)
      expect({ exit, stdout }).toEqual({ exit: 9, stdout: '' })
      expect(stderr).toContain('error: no code was shown, because it cannot be recorded who sees it: ')
      expect(stderr).not.toMatch(code)
    }
    expect(existsSync(exported)).toBe(false)
    proxy.refuse(false)
    expect(await reveals()).toEqual([])
  })
})

test('reveals that the journal has are not recorded again', async () => {
  const { run, proxy, orderId, reveals, kept, state } = await openDelivered()
  proxy.refuse(true)
  await run(['redeem', orderId, '--reveal'])
  proxy.refuse(false)
  const [event] = kept()
  using machine = openMachine(state)
  if (event !== undefined) await keepEvent(machine, event)
  expect(kept()).toHaveLength(2)
  expect(await reveals()).toHaveLength(1)
  expect(kept()).toEqual([])
})

test('a connection that is lost while the reveal is recorded', async () => {
  const { run, proxy, orderId, reveals, loseAt } = await openDelivered()
  loseAt('INSERT INTO reveals')
  const { exit, stdout } = await run(['redeem', orderId, '--reveal'])
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringMatching(code) })
  proxy.refuse(false)
  expect(await reveals()).toHaveLength(1)
})

test('a file of this machine that cannot be used: nothing is shown', async () => {
  const shop = await openWorld(overSocket)
  const orderId = await shop.ended('GAME-US:25')
  const file = path.join(shop.home, 'state', 'journal.db')
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'no database')
  const { exit, stdout, stderr } = await shop.run(['redeem', orderId, '--reveal'])
  expect({ exit, stdout }).toEqual({ exit: 9, stdout: '' })
  expect(stderr).toContain('error: no code was shown, because it cannot be recorded who sees it: ')
})
