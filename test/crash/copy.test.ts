// Two people buy with their own journals and copy them into a shared one, while processes are killed, connections are
// cut and COMMITs are lost. The service's log shows that no reference was bought twice, and that the shared journal
// knows every purchase in the end. A failure prints its seed.
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createRandom } from '../../src/service/cards.ts'
import { isFullRun } from '../support/cases.ts'
import { rolePassword } from '../support/postgres/database.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { openTeam } from '../support/postgres/team.ts'
import { inRealTime, openWorld } from '../support/world.ts'

const only = Number(process.env.COPY_SEED) || undefined
const seeds = only ? [only] : Array.from({ length: isFullRun ? 100 : 2 }, (_, index) => index + 1)

type Name = 'ana' | 'ben'

/** Gives a process a different clock. */
const clockAhead = (ms: number): string =>
  `--import data:text/javascript,${encodeURIComponent(`const { now } = Date; Date.now = () => now() + ${ms}`)}`

const open = async () => {
  const team = await openTeam('ben')
  const shop = await openWorld({ ...inRealTime, processingMs: 200 })
  const proxy = await openTcpProxy(team)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  let aheadMs = 0
  const start = (name: Name, journal: 'file' | 'shared', ...words: string[]) =>
    shop.starts(words, {
      endsWithinMs: 240_000,
      env: {
        ...{ ORDERCTL_STATE_DIR: `${shop.home}/${name}`, ORDERCTL_TIMEOUT: '5s', PGPASSWORD: rolePassword },
        ...(journal === 'shared' ? { ORDERCTL_JOURNAL: team.address(name, proxy) } : {}),
        NODE_OPTIONS: clockAhead(aheadMs),
      },
    })
  return {
    ...{ team, shop, proxy, start },
    copy: (name: Name, ...flags: string[]) => start(name, 'shared', 'journal', 'copy', ...flags),
    buy: (name: Name, journal: 'file' | 'shared', reference: string) =>
      start(
        name,
        journal,
        ...['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference],
        ...['--idempotent', '--confirm', '-q'],
      ),
    run: (name: Name, journal: 'file' | 'shared') =>
      start(name, journal, 'batch', 'run', 'gifts', '--max-total', '9999', '-q'),
    /** Time passes for the service and the machines, so that no call is in flight. */
    passTime: async (seconds: number): Promise<void> => {
      await shop.advance(`${seconds}s`)
      aheadMs += seconds * 1_000
    },
  }
}

const statements = [
  'LOCK TABLE handovers',
  'INSERT INTO orders',
  'INSERT INTO calls',
  'INSERT INTO handovers',
  'COMMIT',
]

test.for(seeds)(
  'a journal that is copied buys nothing twice (COPY_SEED=%i)',
  { timeout: 900_000 },
  async (seed) => {
    const random = createRandom(`copy ${seed}`)
    const pick = <Value>(values: readonly Value[]): Value =>
      values[Math.floor(random() * values.length)] as Value
    const { team, shop, proxy, start, copy, buy, run, passTime } = await open()
    const names: readonly Name[] = ['ana', 'ben']
    /** Before a copy is complete, a colleague cannot know what the file has bought. */
    const referencesOf = (name: Name) => [1, 2, 3].map((count) => `${name}-${count}`)
    for (const name of names) {
      const plan = ['batch', 'plan', '--product', 'GAME-US:25x30', '--wallet', 'USD', '--name', 'gifts', '-q']
      expect((await start(name, 'file', ...plan)).exitCode).toBe(0)
      await buy(name, 'file', `${name}-1`)
    }
    const copied = new Set<Name>()
    for (let round = 0; copied.size < names.length && round < 40; round += 1) {
      const name = pick(names.filter((each) => !copied.has(each)))
      const running = [
        ...(random() < 0.6 ? [run(name, 'file')] : []),
        ...(random() < 0.6 ? [buy(name, 'file', pick(referencesOf(name)))] : []),
        ...(random() < 0.6 ? [buy(name, 'shared', pick(referencesOf(name)))] : []),
      ]
      await delay(random() * 1_500)
      const kind = random()
      const forwards = random() < 0.5
      const process = copy(name, ...(random() < 0.15 ? ['--undo'] : []))
      if (kind < 0.3) void delay(random() * 2_500).then(() => process.kill('SIGKILL'))
      else if (kind < 0.5) void proxy.cutAt(pick(statements), { forwards })
      else if (kind < 0.7)
        void proxy.cutAt(pick(statements), { forwards }).then(() => process.kill('SIGKILL'))
      if (random() < 0.3) void delay(random() * 1_500).then(() => running[0]?.kill('SIGKILL'))
      const { exitCode, stdout } = await process
      proxy.clearCut()
      if (exitCode === 0 && !stdout.includes('again') && !stdout.includes('undo')) copied.add(name)
      await Promise.all(running)
      // A killed command leaves a call in flight, and then an order that only a proof settles.
      for (const seconds of [200, 17 * 60, 62]) {
        await passTime(seconds)
        if (random() < 0.5) await start(name, copied.has(name) ? 'shared' : 'file', 'reconcile', '-q')
      }
    }
    expect([...copied].toSorted()).toEqual(names)
    // The files buy nothing more.
    const confirms = shop.bought().length
    for (const name of names) expect((await buy(name, 'file', 'new')).exitCode).toBe(9)
    expect(shop.bought().length).toBe(confirms)
    // Everyone buys everything again.
    const all = names.flatMap(referencesOf)
    for (const reference of all) for (const name of names) await buy(name, 'shared', reference)
    for (const batch of ['gifts', 'gifts-2'])
      await start(pick(names), 'shared', 'batch', 'run', batch, '--max-total', '9999', '-q')
    const { data } = await shop.calls.mock('GET', '/state?limit=1000')
    const referenceOf = new Map<string, string>(
      data.orders.map(({ id, reference }: { id: string; reference: string }) => [id, reference]),
    )
    const bought = shop.bought().map((id) => referenceOf.get(id) ?? id)
    // Both batches are named gifts, and each has orders of 25 and 5 cards.
    const ofBatches = bought.filter((reference) => reference.startsWith('gifts'))
    const others = bought.filter((reference) => !reference.startsWith('gifts'))
    expect(others.toSorted()).toEqual(all.toSorted())
    const rows = await team.runAs('admin', "SELECT order_id FROM orders WHERE standing = 'confirmed'")
    expect(rows.map(({ order_id }) => order_id).toSorted()).toEqual([...shop.bought()].toSorted())
    const slots = await team.runAs(
      'admin',
      "SELECT batch, slot FROM orders WHERE standing = 'confirmed' AND batch IS NOT NULL",
    )
    expect(new Set(slots.map(({ batch, slot }) => `${batch} ${slot}`)).size).toBe(ofBatches.length)
  },
)
