// Two runs of create --again at once buy once. again.session has the others.
import { expect, test } from 'vitest'
import { createDatabase } from '../../support/postgres/database.ts'
import { openWorld, order, overNetwork } from '../../support/world.ts'

const again = (id: string) => ['create', '--again', id, '--confirm']

test('two runs at once buy once', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  await shop.advance('16m')
  const exits = await Promise.all([again(id), again(id)].map(async (words) => (await shop.asks(words)).exit))
  expect(exits.toSorted()).toEqual([0, 11])
  expect(shop.bought()).toHaveLength(1)
})

test('two machines with a shared journal buy once', async () => {
  // Statements of PostgreSQL take real time.
  const shop = await openWorld({ ...overNetwork, realTime: true })
  await using database = await createDatabase()
  const machines = ['one', 'two'].map((name) => ({
    ORDERCTL_JOURNAL: database.address('ana'),
    PGPASSWORD: database.password,
    ORDERCTL_STATE_DIR: `${shop.home}/${name}`,
  }))
  const first = await shop.asks([...order, '--confirm'], { env: machines[0] })
  const ends = await Promise.all(machines.map((env) => shop.asks(again(first.data.uid), { env })))
  expect(ends.map(({ exit }) => exit).toSorted()).toEqual([0, 11])
  expect(shop.bought()).toHaveLength(2)
})
