// Kills `listen` at random while deliveries arrive, the target is down and the journal is locked. No delivery that was
// answered 2xx is lost, and none is forwarded as a new one twice. A failure prints its seed.
import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createRandom } from '../../src/service/random.ts'
import { isFullRun } from '../support/cases.ts'
import { openTarget } from '../support/forward-target.ts'
import { folder, serveMock, start } from '../support/orderctl.ts'
import { findFreePort } from '../support/postgres/server.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Sending, sendAll } from './listen/sender.ts'

const count = isFullRun ? 1_000 : 60
const seed = Number(process.env.LISTEN_SEED ?? Date.now() % 1_000_000)

const createSendings = (random: () => number): Sending[] =>
  Array.from({ length: count }, (_, index) => {
    const orderId = `ord_${seed}_${index}`
    const hasId = random() < 0.7
    return {
      orderId,
      headers: { 'content-type': 'application/json', ...(hasId ? { 'webhook-id': `msg_${index}` } : {}) },
      body: JSON.stringify({
        uid: orderId,
        state: 'successful',
        filler: 'x'.repeat(Math.floor(random() * 2_000)),
      }),
    }
  })

/** Restarts the process whenever it ends, until `stop`. */
const keepRunning = (words: readonly string[], options: Parameters<typeof start>[1]) => {
  let isStopped = false
  let child = start(words, options)
  const restart = async (): Promise<void> => {
    for (;;) {
      const { stderr, signal } = await child
      if (isStopped) return
      if (signal !== 'SIGKILL') throw new Error(`listen ended: ${stderr}`)
      child = start(words, options)
    }
  }
  const ended = restart()
  return {
    kill: (): void => void child.kill('SIGKILL'),
    stop: async (): Promise<void> => {
      isStopped = true
      child.kill('SIGTERM')
      await ended
    },
    ended,
  }
}

const title = `none of ${count} deliveries is lost or forwarded as new twice (LISTEN_SEED=${seed})`

test(title, { timeout: isFullRun ? 600_000 : 120_000 }, async () => {
  const random = createRandom(`listen ${seed}`)
  const home = folder()
  const state = path.join(home, 'state')
  mkdirSync(state, { mode: 0o700 })
  const { url, key } = await serveMock([], { cwd: home })
  await using target = await openTarget()
  const env = { ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: key, ORDERCTL_STATE_DIR: state }
  const port = await findFreePort()
  const words = [
    'listen',
    '--port',
    String(port),
    '--path',
    '/a-path-of-the-test',
    '--forward-to',
    target.url,
  ]
  const listener = keepRunning(words, { env, cwd: home })

  let lock: { readonly database: DatabaseSync; left: number } | undefined
  const unlock = (): void => {
    lock?.database.close()
    lock = undefined
  }
  const lockJournal = (): void => {
    if (lock !== undefined) return
    const database = new DatabaseSync(path.join(state, 'journal.db'), { timeout: 5_000 })
    database.exec('BEGIN IMMEDIATE')
    lock = { database, left: 2 }
  }
  /** At any moment of a delivery, not only just after an answer. */
  const killSoon = (): void => void setTimeout(listener.kill, random() * 20)
  const events: readonly (() => void)[] = [
    killSoon,
    lockJournal,
    killSoon,
    () => target.goDown('status', 2),
    killSoon,
    () => target.goDown('reset', 2),
  ]
  const eventEvery = isFullRun ? 15 : 8
  const sendings = createSendings(random)
  const sending = sendAll(sendings, {
    url: `http://127.0.0.1:${port}/a-path-of-the-test`,
    parallel: 8,
    onAccepted: (accepted) => {
      if (accepted % eventEvery === 0) events[(accepted / eventEvery) % events.length]?.()
    },
    onRefused: (status) => {
      if (lock === undefined || status !== 503) return
      lock.left -= 1
      if (lock.left === 0) unlock()
    },
  })
  await Promise.race([sending, listener.ended])
  unlock()

  const spool = path.join(state, 'forward')
  const countSpooled = (): number =>
    readdirSync(spool, { recursive: true }).filter((name) => String(name).endsWith('.delivery')).length
  await waitUntil(() => countSpooled() === 0)
  await listener.stop()

  using database = new DatabaseSync(path.join(state, 'journal.db'), { readOnly: true })
  const rows = database.prepare('SELECT order_id, receipt FROM received').all()
  const wanted = sendings.map(({ orderId }) => orderId).sort()
  expect(rows.map((row) => String(row.order_id)).sort()).toEqual(wanted)

  // A kill between the answer of the target and the removal of the file sends the same delivery again.
  const receipts = Map.groupBy(target.accepted, ({ body }) => JSON.parse(body).uid as string)
  expect([...receipts.keys()].sort()).toEqual(wanted)
  const inJournal = new Map(rows.map((row) => [String(row.order_id), String(row.receipt)]))
  for (const [orderId, all] of receipts) {
    const ids = new Set(all.map(({ headers }) => headers['orderctl-delivery']))
    expect([orderId, ...ids]).toEqual([orderId, inJournal.get(orderId)])
  }
  const original = new Map(sendings.map((each) => [each.orderId, each]))
  for (const { headers, body } of target.accepted) {
    const sent = original.get(JSON.parse(body).uid)
    expect([headers['webhook-id'], body]).toEqual([sent?.headers['webhook-id'], sent?.body])
  }
})
