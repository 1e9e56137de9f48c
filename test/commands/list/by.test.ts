// list --by and --mine: the orders of one user, on both databases.
import { hostname, userInfo } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Identity } from '../../../src/journal/access.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { findJournalKind } from '../../journal/journals.ts'
import { createOrderDesk } from '../../journal/order-desk.ts'
import { rolePassword } from '../../support/postgres/database.ts'
import { openWorld, order } from '../../support/world.ts'

/** Commands that run in process say that they are this user. */
const me = 'tester'

/** The newest order is the last. */
const people = [
  { osUser: 'ana', host: 'desk' },
  { osUser: 'ben', host: 'runner' },
  { osUser: 'ana', host: 'laptop' },
  { osUser: me, host: 'elsewhere' },
]

const fill = async (openAs: (identify: () => Identity) => Promise<Journal>) => {
  for (const [index, identity] of people.entries()) {
    const journal = await openAs(() => identity)
    const { placed, recordReveals } = createOrderDesk(journal)
    const { osUser, host } = identity
    await placed(`o${index}`, { reference: `${osUser}@${host}`, at: 1_000 + index })
    await recordReveals([
      {
        ...{ profile: 'shop', origin: 'https://orders.example', orderId: `o${index}` },
        ...{ skus: ['A'], at: index, who: osUser, how: 'reveal' },
      },
    ])
    await journal.close()
  }
}

/** `env` makes orderctl use the journal. */
const openKind = async (name: string) => {
  const kind = findJournalKind(name)
  const shop = await openWorld()
  if (name === 'SQLite') {
    const file = path.join(shop.home, 'state', 'journal.db')
    await fill((identify) => kind.openAt(file, identify))
    return { shop, env: {} }
  }
  const { address, close } = await kind.openShared()
  onTestFinished(close)
  await fill((identify) => kind.openAt(address, identify))
  const account = { ORDERCTL_BASE_URL: 'https://orders.example', ORDERCTL_API_KEY: 'key' }
  return { shop, env: { ...account, ORDERCTL_JOURNAL: address, PGPASSWORD: rolePassword } }
}

const open = async (name: string) => {
  const { shop, env } = await openKind(name)
  const run = (...words: string[]) => shop.run(['list', ...words], { env: { ...env, COLUMNS: '120' } })
  const list = async (...words: string[]) => {
    const { exit, stdout } = await run(...words, '--json')
    expect(exit).toBe(0)
    return JSON.parse(stdout)
  }
  const references = async (...words: string[]) =>
    (await list(...words)).map(({ reference }: { reference: string }) => reference)
  return { shop, run, list, references }
}

describe.each(['SQLite', 'PostgreSQL'])('on %s', (name) => {
  test('--by selects the exact name, or else any case, together with other filters', async () => {
    const { references } = await open(name)
    expect(await references('--by', 'ana')).toEqual(['ana@laptop', 'ana@desk'])
    expect(await references('--by', 'Ana')).toEqual(['ana@laptop', 'ana@desk'])
    expect(await references('--by', 'ben')).toEqual(['ben@runner'])
    expect(await references('--by', 'ana', '--reference', 'ana@desk')).toEqual(['ana@desk'])
    expect(await references('--by', 'ana', '--state', 'created', '--limit', '5')).toHaveLength(2)
  })

  test('a name that nobody has lists nobody, and the names that there are', async () => {
    const { run } = await open(name)
    const { exit, stdout, stderr } = await run('--by', 'nobody')
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' })
    const [first, second] = stderr.split('\n')
    expect(first).toBe('No matching orders')
    expect(second).toMatch(/^Users in this journal: .*\bana\b.*\bben\b/)
    const known = await run('--by', 'ben', '--state', 'failed')
    expect(known).toEqual({ exit: 0, stdout: '', stderr: 'No matching orders\n' })
  })

  test('JSON has the user, the host and the role', async () => {
    const { list } = await open(name)
    const [newest] = await list()
    const isShared = name === 'PostgreSQL'
    const role = isShared ? expect.stringMatching(/_ana$/) : null
    expect(newest.by).toEqual({ role, user: me, host: 'elsewhere', writtenBy: role })
    const reveals = await list('--reveals', '--by', 'ben')
    expect(reveals).toEqual([
      expect.objectContaining({ id: 'o1', by: { role, user: 'ben', host: 'runner', writtenBy: role } }),
    ])
  })
})

test('in SQLite, --mine selects the orders of the OS user', async () => {
  const { references, run, shop } = await open('SQLite')
  expect(await references('--mine')).toEqual([`${me}@elsewhere`])
  expect((await run('--mine', '--by', 'ana')).stderr).toBe('No matching orders\n')
  await shop.must(...order.with(-1, 'new'), '--profile', 'sandbox')
  expect(await references('--mine', '--profile', 'sandbox')).toEqual(['new'])
  const [{ by }] = JSON.parse(await shop.must('list', '--json', '--profile', 'sandbox'))
  expect(by).toEqual({ role: null, user: me, host: 'desk', writtenBy: null })
})

test('in PostgreSQL, --mine selects the orders of the role', async () => {
  const { references } = await open('PostgreSQL')
  expect(await references('--mine')).toHaveLength(4)
})

test('the screen shows who placed the orders if there are several people', async () => {
  const { run } = await open('SQLite')
  const all = await run()
  expect(all.stdout).toMatch(/ BY +AGE/)
  expect(all.stdout).toMatch(/ ana@laptop .* ana .*\n.* ben@runner .* ben /)
  const some = await run('--by', 'ben')
  expect(some.stdout).not.toMatch(/ BY /)
})

test('TAB offers the users of the journal', async () => {
  const { shop } = await open('SQLite')
  const names = (await shop.must('__complete', '--', 'list', '--by', '')).trimEnd().split('\n')
  expect(names).toEqual([...[...new Set(['ana', 'ben', me])].toSorted(), ':'])
})

test('the executable records the user and the machine that the system reports', async () => {
  const shop = await openWorld({ executable: true })
  await shop.must('create', '--product', 'GAME-US:25', '--wallet', 'USD')
  const [{ by }] = JSON.parse(await shop.must('list', '--mine', '--json'))
  expect(by).toMatchObject({ role: null, user: userInfo().username, host: hostname() })
})
