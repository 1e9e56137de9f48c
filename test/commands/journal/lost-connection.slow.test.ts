import { describe, expect, onTestFinished, test } from 'vitest'
import { refuseEvents } from '../../support/machine-file.ts'
import { superuser } from '../../support/postgres/installation.ts'
import { startServer } from '../../support/postgres/server.ts'
import { overSocket } from '../../support/world.ts'
import { buy, openTeam } from './team.ts'

const warning = (name: string, state: string): string =>
  `warning: the outcome of ${name} was saved on this machine (${state}/machine.db), and the next orderctl command will write it to the journal\n`

describe('from the start: exit 9, and the message says that nothing was sent', () => {
  test.each([
    ['create', buy],
    ['create --again', ['create', '--again', '@last', '--reference', 'po-2']],
    ['confirm', ['confirm', 'ref:po-1']],
    ['batch run', ['batch', 'run', '--product', 'GAME-US:25', '--wallet', 'USD', '--max-total', '30']],
  ])('%s', async (_, words) => {
    const { run, prepare, proxy, shop } = await openTeam()
    await prepare()
    proxy.refuse(true)
    const { exit, stderr } = await run(words)
    expect({ exit, asked: await shop.asked() }).toEqual({ exit: 9, asked: '' })
    expect(stderr).toMatch(/^error: cannot connect to .*; (nothing|no create) was sent$/m)
  })

  test.each([
    ['SELECT * FROM orders', ['confirm', 'sbx_1'], 'nothing was sent'],
    ['SELECT * FROM orders', ['confirm', 'ref:po-1'], 'nothing was sent'],
    ['SELECT * FROM orders', buy, 'no create was sent'],
  ])('the connection is lost at %s of %j', async (at, words, facts) => {
    const { run, prepare, loseAt, shop } = await openTeam()
    await prepare()
    loseAt(at)
    const { exit, stderr } = await run(words)
    expect({ exit, asked: await shop.asked() }).toEqual({ exit: 9, asked: '' })
    expect(stderr).toContain(`; ${facts}\n`)
  })
})

describe('before the intent: exit 9, and nothing is sent', () => {
  test.each([
    ['of create', 'INSERT INTO calls', 1, ''],
    ['of confirm', 'INSERT INTO calls', 2, 'create get'],
  ])('%s', async (_, at, nth, asked) => {
    const { run, prepare, loseAt, shop, kept } = await openTeam()
    await prepare()
    loseAt(at, { nth })
    const { exit, stderr } = await run(buy)
    expect({ exit, asked: await shop.asked(), kept: kept() }).toEqual({ exit: 9, asked, kept: [] })
    expect(stderr).toMatch(nth === 1 ? /; nothing was sent\n/ : /; the order sbx_\w+ was not confirmed\n/)
  })
})

describe('while the intent is committed: exit 9, nothing is sent, and the command can run again', () => {
  test.each([
    ['of create, and the server does not receive it', 2, false, ''],
    ['of create, and the server carries it out', 2, true, ''],
    ['of confirm, and the server does not receive it', 5, false, 'create get'],
    ['of confirm, and the server carries it out', 5, true, 'create get'],
  ])('%s', async (_, nth, forwards, asked) => {
    const { run, prepare, loseAt, proxy, shop, kept, calls } = await openTeam()
    await prepare()
    loseAt('COMMIT\0', { nth, forwards })
    const { exit, stderr } = await run(buy)
    expect({ exit, asked: await shop.asked() }).toEqual({ exit: 9, asked })
    expect(stderr).toContain('was lost during a commit; ')
    expect(kept()).toHaveLength(1)
    proxy.refuse(false)
    const again = await run(asked === '' ? buy : ['confirm', 'ref:po-1'])
    expect(again.exit, again.stderr).toBe(0)
    expect((await shop.asked()).replaceAll(/ ?get/g, '')).toBe('create confirm')
    expect(kept()).toEqual([])
    expect((await calls()).filter(({ outcome }) => !['done', 'not-sent'].includes(String(outcome)))).toEqual(
      [],
    )
  })
})

// The transactions of the first `create --confirm` are the row of the user, two intents, two outcomes, and a read before the confirm.
const endConfirm = { nth: 2 }
const lostAt = [
  ['before COMMIT', 'UPDATE calls SET outcome', endConfirm],
  ['during COMMIT, which the server does not receive', 'COMMIT\0', { nth: 6 }],
  ['during COMMIT, which the server carries out', 'COMMIT\0', { nth: 6, forwards: true }],
] as const

describe('after the confirm was sent', () => {
  test.each(lostAt)('%s: the outcome is saved, and the next command records it', async (_, at, how) => {
    const { run, prepare, loseAt, shop, state, kept, proxy, calls, json } = await openTeam()
    await prepare()
    loseAt(at, how)
    const { exit, stdout, stderr } = await run([...buy, '-q'])
    const orderId = stdout.trim()
    expect({ exit, asked: await shop.asked() }).toEqual({ exit: 0, asked: 'create get confirm get' })
    expect(stderr).toContain(warning(orderId, state))
    expect(kept()).toMatchObject([{ operation: 'confirm', name: orderId, end: { outcome: 'done' } }])

    proxy.refuse(false)
    expect(await json('list')).toMatchObject([{ id: orderId, state: 'confirmed' }])
    expect(kept()).toEqual([])
    expect(await calls()).toMatchObject([
      { operation: 'create', outcome: 'done' },
      { operation: 'confirm', outcome: 'done', settled: null },
    ])
    expect((await run(buy)).exit).toBe(11)
    expect(await shop.asked()).not.toMatch(/(create|confirm).*create/)
  })

  test.each(lostAt)('%s, but a new connection is possible: nobody notices', async (_, at, how) => {
    const { run, prepare, proxy, kept, calls } = await openTeam()
    await prepare()
    void proxy.cutAt(at, how)
    const { exit, stderr } = await run([...buy, '-q'])
    expect({ exit, stderr, kept: kept() }).toEqual({
      exit: 0,
      stderr: expect.not.stringContaining('warning'),
      kept: [],
    })
    expect(await calls()).toMatchObject([{ outcome: 'done' }, { outcome: 'done', state: 'confirmed' }])
  })

  test('the outcome cannot be saved either: exit 6, and the message names the order', async () => {
    const { run, prepare, loseAt, shop, state } = await openTeam()
    await prepare()
    await refuseEvents(state)
    loseAt('UPDATE calls SET outcome', endConfirm)
    const { exit, stderr } = await run(buy)
    expect({ exit, asked: await shop.asked() }).toEqual({ exit: 6, asked: 'create get confirm' })
    expect(stderr).toMatch(/error: the order sbx_\w+ is confirmed; the journal could not be written: /)
  })

  test('the response is lost, too, and get shows the confirmation: it is saved, and recorded later', async () => {
    const { run, prepare, loseAt, shop, state, kept, proxy, calls, json } = await openTeam()
    await prepare()
    await shop.fault('confirm:reset-after')
    loseAt('UPDATE calls SET outcome', endConfirm)
    const { exit, stdout, stderr } = await run([...buy, '-q'])
    const orderId = stdout.trim()
    expect({ exit, asked: await shop.asked() }).toEqual({ exit: 0, asked: 'create get confirm get get' })
    expect(stderr).toContain(', but the order is confirmed')
    expect(stderr.split(warning(orderId, state))).toHaveLength(2)
    proxy.refuse(false)
    expect(await json('list')).toMatchObject([{ id: orderId, state: 'confirmed' }])
    expect(kept()).toEqual([])
    expect(await calls()).toMatchObject([
      { operation: 'create', outcome: 'done' },
      { operation: 'confirm', outcome: 'unknown', settled: 'took-effect', state: 'confirmed' },
    ])
    expect((await run(buy)).exit).toBe(11)
  })

  test('several commands record it at once, and it is recorded once', async () => {
    const { run, prepare, loseAt, kept, proxy, calls, database } = await openTeam()
    await prepare()
    loseAt('UPDATE calls SET outcome', endConfirm)
    await run(buy)
    proxy.refuse(false)
    const all = await Promise.all(Array.from({ length: 4 }, () => run(['list', '-q'])))
    expect(all.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual(
      all.map(() => ({ exit: 0, stderr: '' })),
    )
    expect(kept()).toEqual([])
    expect(await calls()).toMatchObject([{ outcome: 'done' }, { outcome: 'done' }])
    expect(await database.admin('SELECT standing FROM orders')).toEqual([{ standing: 'confirmed' }])
  })
})

test('after the create: the confirm is not sent, and the next command knows the order', async () => {
  const { run, prepare, loseAt, shop, proxy, state, kept, calls, json } = await openTeam()
  await prepare()
  loseAt('UPDATE calls SET outcome')
  const { exit, stderr } = await run(buy)
  const orderId = /sbx_\w+/.exec(stderr)?.[0] ?? ''
  expect({ exit, asked: await shop.asked() }).toEqual({ exit: 9, asked: 'create' })
  expect(stderr).toContain(warning(orderId, state))
  expect(stderr).toContain(`; the order ${orderId} was not confirmed\n`)
  proxy.refuse(false)
  expect(await json('list')).toMatchObject([{ id: orderId, state: 'created', total: 25 }])
  expect((await run(['confirm', 'ref:po-1'])).exit).toBe(0)
  expect(kept()).toEqual([])
  expect(await calls()).toMatchObject([
    { operation: 'create', order_id: orderId },
    { operation: 'confirm', order_id: orderId, state: 'confirmed' },
  ])
})

test('the database restarts in between', async () => {
  const server = await startServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const admin = { host: '127.0.0.1', port: server.port, user: superuser.name, password: superuser.password }
  const { run, prepare, proxy, shop, json, kept } = await openTeam({
    server: { ...admin, database: 'postgres' },
  })
  await prepare()
  const stopped = proxy.cutAt('UPDATE calls SET outcome', endConfirm).then(async () => {
    proxy.refuse(true)
    await server.stop('immediate')
  })
  expect((await run(buy)).exit).toBe(0)
  await stopped
  proxy.refuse(false)
  // The server is still down.
  expect((await run(['list'])).exit).toBe(9)
  expect(kept()).toHaveLength(1)
  await server.start()
  expect(await json('list')).toMatchObject([{ state: 'confirmed' }])
  expect(kept()).toEqual([])
  expect(await shop.asked()).toBe('create get confirm get')
})

test('a batch stops, and no card is bought twice when it runs again', async () => {
  const { run, prepare, shop, proxy, kept, database, json } = await openTeam({ way: overSocket })
  await prepare()
  const file = shop.file(
    JSON.stringify(Array.from({ length: 6 }, () => ({ sku: 'GAME-US', quote: 25, quantity: 10 }))),
    'rows.json',
  )
  const batch = ['batch', 'run', file, '--name', 'gifts', '--wallet', 'USD', '--max-total', '2000', '--yes']
  void proxy.cutAt('UPDATE calls SET outcome', { nth: 5 }).then(() => {
    proxy.refuse(true)
    proxy.cut()
  })
  const { exit, stderr } = await run(batch)
  expect(exit, stderr).toBe(13)
  expect(stderr).toContain('was saved on this machine')
  expect(stderr).toMatch(
    /error: the batch gifts stopped, because its journal cannot be used: .*cannot connect to postgres:.*\n/,
  )
  expect(stderr).not.toContain('nothing was')
  // Several orders are under way at once.
  const { length } = shop.bought()
  const orders = length === 1 ? '1 order' : `${length} orders`
  expect(stderr).toMatch(new RegExp(`^ {2}this run has bought ${orders}, [\\d,]+\\.00 USD in all$`, 'm'))
  expect(stderr).toMatch(/^ {2}\d outcomes? saved on this machine, /m)
  expect(stderr).toContain(
    'run the batch again, on this machine: orderctl batch run gifts. It buys no card twice.',
  )
  expect(kept().length).toBeGreaterThan(0)
  proxy.refuse(false)
  // The time passes for which the first run holds its orders, which it could not release.
  await database.admin('UPDATE orders SET held_until = NULL')
  const again = await run([...batch, '--json'])
  expect(again.exit, again.stderr).toBe(0)
  expect(kept()).toEqual([])
  const confirmed = await database.admin('SELECT order_id FROM orders WHERE confirmed_at IS NOT NULL')
  expect(shop.bought().toSorted()).toEqual(confirmed.map(({ order_id }) => order_id).toSorted())
  expect(await json('batch', 'show', 'gifts')).toMatchObject({ cards: { delivered: 60 } })
})

test('a batch stops after a confirm without a response, but get shows that it was carried out', async () => {
  const { run, prepare, shop, loseAt } = await openTeam({ way: overSocket })
  await prepare()
  const file = shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'rows.csv')
  await shop.fault('confirm:reset-after')
  loseAt('UPDATE calls SET outcome', endConfirm)
  const words = ['batch', 'run', file, '--name', 'gifts', '--wallet', 'USD', '--max-total', '50']
  const { exit, stderr } = await run(words)
  expect(exit, stderr).toBe(13)
  expect(stderr).toContain('  this run has bought 1 order, 25.00 USD in all\n')
})

test.each<[string, Record<string, string>, boolean]>([
  ['the server is unreachable', {}, true],
  ['the password is wrong', { PGPASSWORD: 'wrong' }, false],
])('%s: the error says whether the same command may succeed later', async (_, env, retryable) => {
  const { run, prepare, proxy } = await openTeam()
  await prepare()
  proxy.refuse(retryable)
  const { exit, stderr } = await run([...buy, '--json'], { env })
  const { error } = JSON.parse(stderr.split('\n').at(-2) ?? '')
  expect({ exit, error }).toMatchObject({ exit: 9, error: { code: 'local-state', retryable } })
})
