// orderctl listen with a journal that two machines share.
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTarget } from '../../support/forward-target.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { turnEventLoop, waitUntil } from '../../support/wait-until.ts'
import { openDesk } from './listen-desk.ts'

const openShared = async (roles: readonly string[] = []) => {
  const desk = await openDesk()
  const database = await createDatabase({ roles })
  const proxy = await openTcpProxy(database)
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })
  const journal = { ORDERCTL_JOURNAL: database.address('ana', proxy), PGPASSWORD: database.password }
  return { desk, database, proxy, journal }
}

test('a delivery that two machines receive is forwarded once', async () => {
  const { desk, database, journal } = await openShared()
  await using target = await openTarget()
  const words = ['--forward-to', target.url]
  const one = await desk.listen(words, undefined, journal)
  const other = await desk.listen(words, undefined, {
    ...journal,
    ORDERCTL_STATE_DIR: path.join(desk.home, 'other'),
  })
  const id = await desk.buy('r-1', undefined, journal)
  const deliveries = Array.from({ length: 20 }, (_, index) => ({ 'webhook-id': `msg_${index}` }))
  const statuses = await Promise.all(
    deliveries.flatMap((headers) => [one, other].map(({ post }) => post({ uid: id }, headers))),
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
  await waitUntil(() => target.accepted.length >= 20)
  await waitUntil(() => one.ofKind('duplicate').length + other.ofKind('duplicate').length === 20)
  await Promise.all([one.stop(), other.stop()])
  const ids = target.accepted.map(({ headers }) => headers['webhook-id']).sort()
  expect(ids).toEqual(deliveries.map((each) => each['webhook-id']).sort())
  expect(await database.admin('SELECT 1 FROM received')).toHaveLength(20)
  // The kind is NULL until the order was checked.
  expect(await database.admin("SELECT 1 FROM received WHERE kind <> 'known'")).toEqual([])
  expect(await database.admin("SELECT state FROM orders WHERE state = 'successful'")).toHaveLength(1)
})

test.each([
  ['before it is committed', false],
  ['while it is committed', true],
])('a delivery is not lost if the journal is lost %s', async (_when, forwards) => {
  const { desk, database, proxy, journal } = await openShared()
  await using target = await openTarget()
  const listener = await desk.listen(['--forward-to', target.url], undefined, journal)
  // The first beat of the listener has a COMMIT of its own.
  while ((await database.admin('SELECT 1 FROM listeners')).length === 0) await turnEventLoop()
  void proxy.cutAt(forwards ? 'COMMIT' : 'INSERT INTO received', { forwards }).then(() => proxy.refuse(true))
  const delivery = { uid: 'ord_1', state: 'successful' }
  const status = await listener.post(delivery)
  expect(status).toBe(503)
  proxy.refuse(false)
  await waitUntil(() => target.accepted.length === 1)
  // The sender repeats it, because it was not accepted.
  expect(await listener.post(delivery)).toBe(200)
  await waitUntil(() => listener.ofKind('duplicate').length === 1)
  await listener.stop()
  const [row, ...others] = await database.admin('SELECT order_id, receipt FROM received')
  expect(others).toEqual([])
  const sent = target.accepted.map(({ headers }) => headers['orderctl-delivery'])
  expect([row?.order_id, sent]).toEqual(['ord_1', [row?.receipt]])
})

test('a role of the team deletes deliveries after 30 days', async () => {
  const { desk, database, journal } = await openShared(['ben'])
  const { exit, stderr } = await desk.run(['journal', 'migrate', '--grant', database.nameOf('ben')], journal)
  expect(exit, stderr).toBe(0)
  const asBen = { ...journal, ORDERCTL_JOURNAL: database.address('ben') }
  const listReceived = async () =>
    (await database.admin('SELECT delivery_id FROM received WHERE kind IS NOT NULL')).map(
      ({ delivery_id }) => delivery_id,
    )
  const receive = async (id: string) => {
    const listener = await desk.listen([], undefined, asBen)
    expect(await listener.post({ uid: 'ord_1' }, { 'webhook-id': id })).toBe(200)
    await waitUntil(() => listener.ofKind('order').length === 1)
    return listener
  }
  await (await receive('old')).stop()
  await database.admin('UPDATE received SET received_at = received_at - 2592000000')
  const listener = await receive('new')
  await expect.poll(listReceived, { timeout: 100_000 }).toEqual(['new'])
  await listener.stop()
})
