// The journal of one machine: which references are free, what works without it, and what it never contains.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { openWorld, order, overNetwork, type World } from '../support/world.ts'

const journalOf = ({ home }: World): string => path.join(home, 'state', 'journal.db')

describe('a reference is free again', () => {
  test('if all its orders have expired, which is checked before it is refused', async () => {
    const shop = await openWorld(overNetwork)
    for (const flags of [[], ['--allow-duplicate']]) await shop.id(...order, ...flags)
    shop.clock.pass(11 * 60_000)
    await shop.id(...order)
    expect(shop.journal('SELECT state FROM orders ORDER BY number').map(({ state }) => state)).toEqual([
      ...['expired', 'expired', 'created'],
    ])
  })
})

describe('a journal that cannot be used', () => {
  const damaged = async () => {
    const shop = await openWorld(overNetwork)
    const id = await shop.id(...order)
    writeFileSync(journalOf(shop), 'not a database at all')
    return { shop, id }
  }

  test('prevents every command that writes it or needs it', async () => {
    const { shop, id } = await damaged()
    for (const words of [
      [...order, '--allow-duplicate'],
      ['confirm', id],
      ['list'],
      ['reconcile'],
      ['get', '@last'],
    ]) {
      const { exit, error } = await shop.asks(words)
      expect({ words, exit, error }).toMatchObject({
        words,
        exit: 9,
        error: {
          message: expect.stringContaining(`${journalOf(shop)} is not a database`),
          advice:
            'It was left untouched. If you have a backup, restore it. If you move it away, orderctl forgets its orders and cannot prevent a second purchase.',
        },
      })
    }
    expect([shop.sent('create'), shop.sent('confirm'), shop.sent('get')]).toEqual([1, 0, 0])
    expect(readFileSync(journalOf(shop), 'utf8')).toBe('not a database at all')
  })

  test.each(['get', 'watch', 'redeem'])('is one warning of %s, which works', async (command) => {
    const { shop, id } = await damaged()
    await shop.calls.confirm(id)
    shop.clock.pass(5_000)
    const { exit, stdout, stderr } = await shop.runIn([command, id])
    expect(exit).toBe(0)
    expect(stdout).not.toBe('')
    expect(stderr.match(/warning: .* is not a database/g)).toHaveLength(1)
  })

  test('prevents create if its folder cannot be created', async () => {
    const shop = await openWorld(overNetwork)
    const env = { ORDERCTL_STATE_DIR: '/proc/nowhere/orderctl' }
    expect((await shop.runIn(order, { env })).exit).toBe(9)
    expect(shop.sent('create')).toBe(0)
  })
})

test('a command that only reads creates no journal', async () => {
  const shop = await openWorld(overNetwork)
  expect(await shop.runIn(['get', await shop.calls.created(['GAME-US'])])).toMatchObject({
    exit: 0,
    stderr: '',
  })
  const commands = [
    ['get', '@last'],
    ['get', 'ref:x'],
    ['get', 'batch:x'],
    ['batch', 'show', 'x'],
  ]
  for (const words of commands) expect((await shop.runIn(words)).exit).toBe(2)
  for (const words of [['list'], ['batch', 'list']]) expect((await shop.runIn(words)).exit).toBe(0)
  expect(existsSync(journalOf(shop))).toBe(false)
})

test('only the owner can read the journal, which contains no key, path or query of a webhook', async () => {
  const shop = await openWorld(overNetwork)
  await shop.id(...order, '--webhook-url', 'http://127.0.0.1:9/canary-path?token=canary-token')
  expect(statSync(journalOf(shop)).mode & 0o777).toBe(0o600)
  expect(statSync(path.dirname(journalOf(shop))).mode & 0o777).toBe(0o700)
  const kept = readFileSync(journalOf(shop), 'latin1')
  expect(kept).toContain('po-1')
  expect(kept).not.toMatch(/canary-|the-key/)
})
