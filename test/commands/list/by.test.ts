// list --by and --mine on PostgreSQL, where the role says who placed an order. list.session has the same on SQLite.
import { hostname, userInfo } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { findJournalKind } from '../../journal/journals.ts'
import { createOrderDesk } from '../../journal/order-desk.ts'
import { rolePassword } from '../../support/postgres/database.ts'
import { openWorld } from '../../support/world.ts'

/** The newest order is the last. */
const people = [
  { osUser: 'ana', host: 'desk' },
  { osUser: 'ben', host: 'runner' },
  { osUser: 'ana', host: 'laptop' },
]

test('--by selects the user, --mine the orders of the role, and JSON has both', async () => {
  const kind = findJournalKind('PostgreSQL')
  const shop = await openWorld()
  const { address, close } = await kind.openShared()
  onTestFinished(close)
  for (const [index, identity] of people.entries()) {
    const journal = await kind.openAt(address, () => identity)
    const { placed, recordReveals } = createOrderDesk(journal)
    const { osUser, host } = identity
    await placed(`o${index}`, { reference: `${osUser}@${host}`, at: 1_000 + index })
    const at = { profile: 'shop', origin: 'https://orders.example', orderId: `o${index}` }
    await recordReveals([{ ...at, skus: ['A'], at: index, who: osUser, how: 'reveal' }])
    await journal.close()
  }
  const account = { ORDERCTL_BASE_URL: 'https://orders.example', ORDERCTL_API_KEY: 'key' }
  const env = { ...account, ORDERCTL_JOURNAL: address, PGPASSWORD: rolePassword }
  const list = async (...words: string[]) => {
    const { exit, stdout } = await shop.run(['list', ...words, '--json'], { env })
    expect(exit).toBe(0)
    return JSON.parse(stdout)
  }
  const references = async (...words: string[]) =>
    (await list(...words)).map(({ reference }: { reference: string }) => reference)
  expect(await references('--by', 'Ana')).toEqual(['ana@laptop', 'ana@desk'])
  expect(await references('--by', 'ana', '--reference', 'ana@desk')).toEqual(['ana@desk'])
  expect(await references('--mine')).toHaveLength(3)
  const nobody = await shop.run(['list', '--by', 'nobody'], { env })
  expect(nobody.stderr).toMatch(/^No matching orders\nUsers in this journal: .*\bana\b.*\bben\b/)
  const role = expect.stringMatching(/_ana$/)
  const [newest] = await list()
  expect(newest.by).toEqual({ role, user: 'ana', host: 'laptop', writtenBy: role })
  const by = { role, user: 'ben', host: 'runner', writtenBy: role }
  expect(await list('--reveals', '--by', 'ben')).toEqual([expect.objectContaining({ id: 'o1', by })])
})

test('the executable records the user and the machine that the system reports', async () => {
  const shop = await openWorld({ executable: true })
  await shop.must('create', '--product', 'GAME-US:25', '--wallet', 'USD')
  const [{ by }] = JSON.parse(await shop.must('list', '--mine', '--json'))
  expect(by).toMatchObject({ role: null, user: userInfo().username, host: hostname() })
})
