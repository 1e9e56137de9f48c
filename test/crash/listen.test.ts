// Kills `listen` again and again between the receipt of a delivery and its forwarding, while the target is down at times.
// No delivery whose response was 200 is lost, and each repetition has the same id. A failure prints its seed.
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createRandom } from '../../src/service/cards.ts'
import { createSignatureHeaders } from '../../src/service/webhooks.ts'
import { isFullRun } from '../support/cases.ts'
import { openTarget } from '../support/forward-target.ts'
import { folder, serveMock, start } from '../support/orderctl.ts'
import { findFreePort } from '../support/postgres/server.ts'
import { waitUntil } from '../support/wait-until.ts'

const kills = isFullRun ? 200 : 12
const perKill = 4
const seed = Number(process.env.LISTEN_SEED ?? Date.now() % 1_000_000)
const code = `CODE-${seed}-`
// Only what is signed is forwarded although the service does not know the order.
const secret = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`

type Sending = { readonly orderId: string; readonly headers: Record<string, string>; readonly body: string }

/** Repeats the delivery until the response is 200, as a service does. */
const deliver = async (url: string, { headers, body }: Sending): Promise<void> => {
  const isAccepted = (): Promise<boolean> =>
    fetch(url, { method: 'POST', headers: { ...headers, connection: 'close' }, body }).then(
      async (response) => (await response.arrayBuffer()) && response.status === 200,
      () => false,
    )
  while (!(await isAccepted())) await delay(20)
}

const createSending = (index: number, random: () => number): Sending => {
  const orderId = `ord_${seed}_${index}`
  const filler = 'x'.repeat(Math.floor(random() * 6_000))
  const body = JSON.stringify({ uid: orderId, state: 'successful', redeem: `${code}${index}`, filler })
  const signature = createSignatureHeaders({ id: `msg_${index}`, at: Date.now(), body }, secret)
  return { orderId, headers: { 'content-type': 'application/json', ...signature }, body }
}

/** Restarts the process whenever it ends, until `stop`. */
const keepRunning = (words: readonly string[], options: Parameters<typeof start>[1]) => {
  let isStopped = false
  let killed = 0
  let child = start(words, options)
  const restart = async (): Promise<void> => {
    for (;;) {
      const { stderr, signal } = await child
      if (isStopped) return
      if (signal !== 'SIGKILL') throw new Error(`listen ended: ${stderr}`)
      killed += 1
      child = start(words, options)
    }
  }
  const ended = restart()
  return {
    countKilled: (): number => killed,
    kill: (): void => void child.kill('SIGKILL'),
    stop: async (): Promise<void> => {
      isStopped = true
      child.kill('SIGTERM')
      await ended
    },
    ended,
  }
}

const title = `none of ${kills * perKill} deliveries is lost in ${kills} kills (LISTEN_SEED=${seed})`

test(title, { timeout: isFullRun ? 1_200_000 : 120_000 }, async () => {
  const random = createRandom(`listen ${seed}`)
  const home = folder()
  const state = path.join(home, 'state')
  mkdirSync(state, { mode: 0o700 })
  const { url, key } = await serveMock([], { cwd: home })
  await using target = await openTarget()
  const env = { ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: key, ORDERCTL_STATE_DIR: state }
  const port = await findFreePort()
  const where = ['--port', String(port), '--path', '/a-path-of-the-test']
  const listener = keepRunning(['listen', ...where, '--forward-to', target.url, '--secret-stdin'], {
    ...{ env, cwd: home, input: `${secret}\n` },
  })
  const sendings = Array.from({ length: kills * perKill }, (_, index) => createSending(index, random))

  for (let kill = 0; kill < kills; kill += 1) {
    if (kill % 5 === 4) target.goDown(random() < 0.5 ? 'status' : 'reset', 2)
    const url = `http://127.0.0.1:${port}/a-path-of-the-test`
    const deliveries = sendings
      .slice(kill * perKill, (kill + 1) * perKill)
      .map((sending) => deliver(url, sending))
    // At any moment: while the others are received, the order is read, or the delivery is forwarded.
    void Promise.any(deliveries).then(() => setTimeout(listener.kill, random() * 250))
    const sent = Promise.all(deliveries)
    await Promise.race([sent, listener.ended])
    await waitUntil(() => listener.countKilled() > kill)
  }

  const readRows = () => {
    using database = new DatabaseSync(path.join(state, 'listen.db'), { timeout: 5_000 })
    return database.prepare('SELECT order_id, key, checked, forwarded, body FROM deliveries').all()
  }
  await waitUntil(() => readRows().every(({ checked, forwarded }) => checked !== null && forwarded !== null))
  await listener.stop()

  const rows = readRows()
  const wanted = sendings.map(({ orderId }) => orderId).sort()
  expect(rows.map((row) => String(row.order_id)).sort()).toEqual(wanted)
  expect(readFileSync(path.join(state, 'listen.db'), 'latin1')).not.toContain(code)

  // A kill between the response of the target and its record sends the same delivery again.
  const keys = new Map(rows.map((row) => [String(row.order_id), String(row.key)]))
  const original = new Map(sendings.map((each) => [each.orderId, each]))
  const forwarded = new Set<string>()
  for (const { headers, body } of target.accepted) {
    const { uid } = JSON.parse(body)
    forwarded.add(uid)
    expect([uid, headers['orderctl-delivery']]).toEqual([uid, keys.get(uid)])
    expect([headers['webhook-id'], body]).toEqual([
      original.get(uid)?.headers['webhook-id'],
      original.get(uid)?.body,
    ])
  }
  expect([...forwarded].sort()).toEqual(wanted)
  const repeated = target.accepted.length - forwarded.size
  if (isFullRun)
    console.info(`${listener.countKilled()} kills, ${wanted.length} deliveries, ${repeated} repetitions`)
})
