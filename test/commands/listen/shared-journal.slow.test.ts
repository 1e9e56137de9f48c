// orderctl listen with a journal that two machines share.
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTarget } from '../../support/forward-target.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { openDesk } from './listen-desk.ts'

const openShared = async () => {
  const desk = await openDesk()
  const database = await createDatabase()
  const proxy = await openTcpProxy(database)
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })
  const journal = { ORDERCTL_JOURNAL: database.address('ana', proxy), PGPASSWORD: database.password }
  return { desk, database, proxy, journal }
}

test('two machines that receive a delivery forward it with the same id', async () => {
  const { desk, database, journal } = await openShared()
  await using target = await openTarget()
  const words = ['--forward-to', target.url]
  const one = await desk.listen(words, undefined, journal)
  const elsewhere = { ...journal, ORDERCTL_STATE_DIR: path.join(desk.home, 'other') }
  const other = await desk.listen(words, undefined, elsewhere)
  const id = await desk.buy('r-1', undefined, journal)
  for (const { post } of [one, other]) expect(await post({ uid: id }, { 'webhook-id': 'msg_1' })).toBe(200)
  await waitUntil(() => target.accepted.length === 2)
  await Promise.all([one.stop(), other.stop()])
  expect(new Set(target.accepted.map(({ headers }) => headers['orderctl-delivery'])).size).toBe(1)
  expect(await database.admin("SELECT state FROM orders WHERE state = 'successful'")).toHaveLength(1)
})

test('a journal that does not respond delays no sender', async () => {
  const { desk, proxy, journal } = await openShared()
  const listener = await desk.listen([], undefined, journal)
  proxy.hold(true)
  const before = performance.now()
  expect(await listener.post({ uid: 'ord_1', state: 'successful' })).toBe(200)
  expect(performance.now() - before).toBeLessThan(5_000)
  proxy.hold(false)
  await listener.stop()
})

test('a delivery is accepted while the journal is away, and recorded when it is back', async () => {
  const { desk, database, proxy, journal } = await openShared()
  const id = await desk.buy('r-1', undefined, journal)
  const listener = await desk.listen([], undefined, journal)
  proxy.refuse(true)
  proxy.cut()
  expect(await listener.post({ uid: id, state: 'successful' })).toBe(200)
  proxy.refuse(false)
  await waitUntil(() => listener.ofKind('order').length === 1)
  await listener.stop()
  expect(await database.admin("SELECT state FROM orders WHERE state = 'successful'")).toHaveLength(1)
})
