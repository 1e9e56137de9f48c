// Two machines buy a batch with one journal on PostgreSQL, while processes are killed, connections are cut and a clock is
// wrong. The service's log shows that each card was bought once, within the cap. A failure prints its seed.
import { expect, onTestFinished, test } from 'vitest'
import { createRandom } from '../../src/service/cards.ts'
import { isFullRun } from '../support/cases.ts'
import { createDatabase, rolePassword } from '../support/postgres/database.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { waitUntil } from '../support/wait-until.ts'
import { inRealTime, openWorld } from '../support/world.ts'

const only = Number(process.env.TEAM_SEED) || undefined
const seeds = only ? [only] : Array.from({ length: isFullRun ? 100 : 1 }, (_, index) => index + 1)
const orderCount = isFullRun ? 100 : 24
const events = isFullRun ? 24 : 8

/** Gives a process a different host and clock. */
const machine = (host: string, aheadMs: number): string =>
  `--import data:text/javascript,${encodeURIComponent(
    `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'
    os.hostname = () => '${host}'; syncBuiltinESMExports()
    const { now } = Date; Date.now = () => now() + ${aheadMs}`,
  )}`

const openTeam = async () => {
  const shop = await openWorld({ ...inRealTime, processingMs: 200 })
  const database = await createDatabase({ roles: ['ben'] })
  const proxy = await openTcpProxy(database)
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })
  await database.admin(`GRANT ${database.nameOf('ana')} TO ${database.nameOf('ben')}`)
  shop.file(JSON.stringify([{ sku: 'GAME-US', quote: 25, quantity: orderCount * 5 }]), 'gifts.json')
  const start = (name: 'ana' | 'ben', ...words: string[]) =>
    shop.starts([...words, '--json'], {
      endsWithinMs: 240_000,
      env: {
        ...{ ORDERCTL_STATE_DIR: `${shop.home}/${name}`, ORDERCTL_TIMEOUT: '5s', PGPASSWORD: rolePassword },
        ORDERCTL_JOURNAL: database.address(name, proxy),
        NODE_OPTIONS: machine(`${name}-desk`, name === 'ben' ? 3_600_000 : 0),
      },
    })
  /** Time passes for the service and the journal: other runs may take over all orders. */
  const passTime = async (seconds: number): Promise<void> => {
    await shop.advance(`${seconds}s`)
    const earlier = ['placed_at', 'unconfirmed_here'].map((time) => `${time} = ${time} - ${seconds * 1_000}`)
    await database.admin(`SET session_replication_role = replica;
      UPDATE orders SET held_until = NULL, ${earlier} WHERE number IN (SELECT number FROM orders FOR UPDATE SKIP LOCKED)`)
  }
  return { shop, proxy, start, passTime }
}

const batch = (maxTotal: number): string[] => ['batch', 'run', 'gifts', '--max-total', String(maxTotal)]

test.for(seeds)('two machines buy each card once (TEAM_SEED=%i)', { timeout: 600_000 }, async (seed) => {
  const random = createRandom(`team ${seed}`)
  const { shop, proxy, start, passTime } = await openTeam()
  const total = orderCount * 125
  const cap = Math.floor(total * (0.3 + random() * 0.4))
  expect((await start('ana', 'batch', 'plan', 'gifts.json', '--wallet', 'USD')).exitCode).toBe(0)
  let running = [start('ana', ...batch(cap)), start('ben', ...batch(cap)), start('ben', ...batch(cap))]
  for (let event = 0; event < events; event += 1) {
    const sent = shop.operations().length
    let isOver = false
    void Promise.all(running).then(() => {
      isOver = true
    })
    await waitUntil(() => isOver || shop.operations().length > sent + random() * 12)
    const index = Math.floor(random() * running.length)
    const kind = random()
    if (kind < 0.5) {
      running[index]?.kill('SIGKILL')
      await passTime(1)
      running = running.with(index, start(index === 0 ? 'ana' : 'ben', ...batch(cap)))
    } else if (kind < 0.8)
      void proxy.cutAt(random() < 0.5 ? 'COMMIT' : 'UPDATE', { forwards: random() < 0.5 })
    else proxy.cut()
  }
  await Promise.all(running)
  proxy.clearCut()
  expect(shop.bought().length).toBeLessThanOrEqual(cap / 125)
  // After the proof, lost orders count no more.
  for (const seconds of [1, 17 * 60, 62]) {
    await passTime(seconds)
    for (const name of ['ana', 'ben'] as const) await start(name, 'reconcile')
  }
  const last = await start('ben', ...batch(total))
  expect([last.exitCode, shop.bought().length], last.stderr).toEqual([0, orderCount])
  const { data } = await shop.calls.mock('GET', '/state?limit=1000')
  const slots = data.orders
    .filter(({ state }: { state: string }) => state !== 'created')
    .map(({ reference }: { reference: string }) => reference.slice(0, 'gifts-0001'.length))
  expect([new Set(shop.bought()).size, new Set(slots).size]).toEqual([orderCount, orderCount])
  expect(JSON.parse(last.stdout).cardCounts).toMatchObject({ delivered: orderCount * 5 })
})
