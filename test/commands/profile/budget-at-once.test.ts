// Many processes of orderctl that confirm at once against one budget, with one journal or a shared one.
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../support/postgres/database.ts'
import { byExecutable, openWorld } from '../../support/world.ts'

const openShared = async (): Promise<Record<string, string>> => {
  const database = await createDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  return { ORDERCTL_JOURNAL: database.address(), PGPASSWORD: database.password }
}

test.each<[string, () => Promise<Record<string, string>>]>([
  ['one home, SQLite', async () => ({})],
  ['several homes, PostgreSQL', openShared],
])(
  'with %s, the service confirms no more than the budget allows',
  { timeout: 120_000 },
  async (name, open) => {
    const env = await open()
    const shop = await openWorld(byExecutable)
    const isShared = name.includes('several')
    const run = (words: string[], home = 'state') =>
      shop.run(words, { env: { ...env, ORDERCTL_STATE_DIR: path.join(shop.home, home) } })
    expect(await run(['profile', 'limits', '--budget', '60USD/day'])).toMatchObject({ exit: 0 })
    const references = ['a', 'b', 'c', 'd', 'e', 'f']
    const ends = await Promise.all(
      references.map((reference) =>
        run(
          ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference, '--confirm'],
          isShared ? `state-${reference}` : 'state',
        ),
      ),
    )
    const exits = ends.map(({ exit }) => exit)
    expect(exits.toSorted(), ends.map(({ stderr }) => stderr).join('\n')).toEqual([0, 0, 12, 12, 12, 12])
    const { orders } = (await shop.calls.mock('GET', '/state')).data
    const confirmed = orders.filter(({ state }: { state: string }) => state !== 'created')
    expect([orders.length, confirmed.length]).toEqual([6, 2])
    const asked = (await shop.asked()).split(' ')
    expect(asked.filter((each) => each === 'confirm')).toHaveLength(2)
  },
)
