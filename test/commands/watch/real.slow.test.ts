// A watch in real time: while the database is away, and on a real terminal.
import path from 'node:path'
import { expect, test } from 'vitest'
import { rolePassword } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { openTeamShopBy } from '../../support/postgres/team-shop.ts'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { openWorld, overSocketUnhurried } from '../../support/world.ts'

test('a watch goes on when the database is away, and asks the service', async () => {
  const shop = await openTeamShopBy(overSocketUnhurried)
  await using proxy = await openTcpProxy(shop)
  const env = {
    ...{ ORDERCTL_JOURNAL: shop.address('ana', proxy), PGPASSWORD: rolePassword },
    ORDERCTL_STATE_DIR: path.join(shop.home, 'ana'),
  }
  const created = await shop.run(['create', ...shop.flags(['GAME-US:25']), '--confirm', '--json'], { env })
  const { id: uid } = JSON.parse(created.stdout)
  const watching = shop.starts(['watch', uid], { env, endsWithinMs: 50_000 })
  await new Promise<void>((resolve) => watching.stdout?.once('data', () => resolve()))
  proxy.refuse(true)
  proxy.cut()
  await shop.advance('2h')
  const { stdout, stderr, exitCode } = await watching
  expect(exitCode, stderr).toBe(0)
  expect(stdout).toContain('successful')
  // Of the response that could not be recorded.
  expect(stderr.match(/^warning: the journal was not updated/gm)).toHaveLength(1)
  expect(stderr.match(/^(warning|error)/gm)?.length).toBeLessThanOrEqual(2)
})

test.skipIf(noTerminal() !== undefined)('on a terminal, the final order has its cards', async () => {
  const shop = await openWorld(overSocketUnhurried)
  const created = JSON.parse(await shop.must('create', ...shop.flags(['GAME-US:25']), '--confirm', '--json'))
  const { screen, shows, ended } = onTerminal(['watch', created.id], {
    ...shop.environment,
    ...{ NO_COLOR: '1', ORDERCTL_STATE_DIR: path.join(shop.home, 'state') },
  })
  await shows('confirmed')
  await shop.advance('2h')
  expect(await ended).toBe(0)
  expect(screen()).toContain('••••')
})
