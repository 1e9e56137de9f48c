// Two processes with one journal: one waits for an order, and notices at once what the other has read.
import path from 'node:path'
import { expect, test } from 'vitest'
import { rolePassword } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { openTeamShopBy } from '../../support/postgres/team-shop.ts'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { openWorld, overSocketUnhurried } from '../../support/world.ts'

type Env = Readonly<Record<string, string>>

/** The environments of two processes. On PostgreSQL, each has a machine and a role of its own. */
const openPair = async (database: string) => {
  if (database === 'SQLite') return { shop: await openWorld(overSocketUnhurried), here: {}, there: {} }
  const shop = await openTeamShopBy(overSocketUnhurried, 'bo')
  const as = (role: string): Env => ({
    ...{ ORDERCTL_JOURNAL: shop.address(role), PGPASSWORD: rolePassword },
    ORDERCTL_STATE_DIR: path.join(shop.home, role),
  })
  return { shop, here: as('ana'), there: as('bo') }
}

const rarely = ['--interval', '1h']

test.each(['SQLite', 'PostgreSQL'])(
  'on %s, watch asks once for an order that another process has read',
  async (database) => {
    const { shop, here, there } = await openPair(database)
    const words = ['create', ...shop.flags(['GAME-US:25', 'TEST-FAIL:10']), '--confirm', '--json']
    const id = JSON.parse((await shop.run(words, { env: here })).stdout).id
    const before = await shop.asked()
    const watching = shop.starts(['watch', id, ...rarely], { env: here })
    let shown = ''
    watching.stdout?.on('data', (text) => {
      shown += text
    })
    await waitUntil(() => shown.includes('confirmed'))
    await shop.advance('2h')
    expect((await shop.starts(['get', id, '--json'], { env: there })).exitCode).toBe(0)
    const { stdout, stderr, exitCode } = await watching
    expect(stdout.replace(/after .*/g, 'after')).toBe(`${id}  … confirmed  after\n${id}  ! partial  after\n`)
    expect(stderr).toContain(`See what happened: orderctl explain ${id}\n`)
    expect(stderr).toContain(`Codes are hidden. Show them: orderctl redeem ${id} --reveal\n`)
    expect(exitCode).toBe(8)
    expect(await shop.asked()).toBe(`${before} get get get`)
  },
)

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
  // Of the response that could not be recorded. A look that fails says nothing.
  expect(stderr.match(/^warning: the journal was not updated/gm)).toHaveLength(1)
  expect(stderr.match(/^(warning|error)/gm)?.length).toBeLessThanOrEqual(2)
})

test.skipIf(noTerminal() !== undefined)('on a terminal, the final order has its cards', async () => {
  const shop = await openWorld(overSocketUnhurried)
  const created = JSON.parse(await shop.must('create', ...shop.flags(['GAME-US:25']), '--confirm', '--json'))
  const { screen, shows, ended } = onTerminal(['watch', created.id, ...rarely], {
    ...shop.environment,
    ...{ NO_COLOR: '1', ORDERCTL_STATE_DIR: path.join(shop.home, 'state') },
  })
  await shows('confirmed')
  await shop.advance('2h')
  // In real time, as the watch.
  await shop.starts(['get', created.id])
  expect(await ended).toBe(0)
  expect(screen()).toContain('••••')
  expect(await shop.asked()).toBe('create get confirm get get get get')
})
