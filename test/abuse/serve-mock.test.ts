// The built serve-mock against hostile clients: idle sockets, ambiguous requests, floods and races.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { brokenInvariants } from '../support/invariants.ts'
import { exchange, openRaw } from '../support/network/raw-socket.ts'
import { folder } from '../support/orderctl.ts'
import { openScratch, readDatabase } from '../support/scratch.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openServed, type Served, seven } from './served.ts'

const timeout = 60_000

const handlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

const scratch = openScratch()
let service: Served
beforeAll(async () => {
  service = await openServed(scratch.folder)
}, timeout)
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

describe.runIf(process.platform === 'linux')('many sockets', () => {
  test('idle and half-open connections do not block other clients', { timeout }, async () => {
    const { port, pid, calls } = service
    await calls.created([seven])
    const before = handlesOf(pid)
    const idle = await Promise.all(Array.from({ length: 500 }, () => openRaw(port)))
    const half = await Promise.all(Array.from({ length: 50 }, () => openRaw(port)))
    for (const raw of half)
      raw.say(`POST /order/create HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 9\r\n\r\n{`)
    await waitUntil(() => handlesOf(pid) > before + 500)
    const id = await calls.confirmed([seven])
    expect(['confirmed', 'processing', 'successful']).toContain(await calls.state(id))
    const all = [...idle, ...half]
    // In the full run, serve-mock closes them itself after ten seconds.
    if (!isFullRun) for (const raw of all) raw.reset()
    await Promise.all(all.map((raw) => raw.closed()))
    await waitUntil(() => handlesOf(pid) <= before)
  })

  test('a thousand pipelined requests get a thousand answers in order', {
    timeout,
  }, async () => {
    const { port, key, calls } = service
    const ids = await Promise.all(Array.from({ length: 10 }, () => calls.created([seven])))
    const thousand = Array.from({ length: 1_000 }, (_, index) => ids[index % ids.length] ?? '')
    const get = (id: string, at: number): string =>
      `GET /order/get?orderId=${id} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n${at === 999 ? 'Connection: close\r\n' : ''}\r\n`
    const { answers } = await exchange(port, thousand.map(get).join(''))
    expect(answers.map((answer) => JSON.parse(String(answer[1])).data.uid)).toEqual(thousand)
  })
})

describe('a request with an ambiguous length', () => {
  const chunked = 'Transfer-Encoding: chunked'
  /** Headers that give two lengths. A server that uses the wrong one reads a second request in the body. */
  const heads: [string, readonly string[]][] = [
    ['both', ['Content-Length: LENGTH', chunked]],
    ['both, the other way round', [chunked, 'Content-Length: LENGTH']],
    ['no length, and chunks', ['Content-Length: 0', chunked]],
    ['chunks by another name', ['Content-Length: 5', 'Transfer-Encoding: xchunked']],
    ['chunks before a colon', ['Content-Length: 5', 'Transfer-Encoding : chunked']],
    ['chunks after a tab', ['Content-Length: 5', 'Transfer-Encoding:\tchunked']],
    ['chunks after a line feed', ['Content-Length: 5', 'A: b\nTransfer-Encoding: chunked']],
    ['chunks after a carriage return', ['Content-Length: 5', 'A: b\rTransfer-Encoding: chunked']],
    ['chunks in a folded line', ['Content-Length: 5', 'Transfer-Encoding:', ' chunked']],
    ['chunks, and then none', ['Transfer-Encoding: chunked, identity']],
    ['none, and then chunks', ['Transfer-Encoding: identity', chunked]],
    ['chunks twice', [chunked, chunked]],
    ['two lengths', ['Content-Length: 5', 'Content-Length: LENGTH']],
    ['a list of lengths', ['Content-Length: 5, 5']],
    ['a length with a sign', ['Content-Length: +5']],
    ['a length in base 16', ['Content-Length: 0x5']],
    ['a length with a space', ['Content-Length: 5 5']],
    ['a length that overflows', ['Content-Length: 18446744073709551621']],
  ]

  test('confirms nothing', { timeout }, async () => {
    const { port, key, calls } = service
    const lines: string[] = []
    for (const [name, head] of heads) {
      const id = await calls.created([seven])
      const own = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
      const body = `{"orderId":"${id}"}`
      const second = `PUT /order/confirm HTTP/1.1\r\n${own}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
      const hidden = `0\r\n\r\n${second}`
      const first = `POST /order/create HTTP/1.1\r\n${own}${head.join('\r\n').replace('LENGTH', `${hidden.length}`)}\r\n\r\n`
      const { answers } = await exchange(port, first + hidden)
      lines.push(`${name}: ${answers.map(([status]) => status).join(' ')} ${await calls.state(id)}`)
    }
    expect(lines).toEqual(heads.map(([name]) => `${name}: 400 created`))
  })
})

test('serve-mock ends although nobody reads its log', { timeout }, async () => {
  const words = [path.resolve('bin/orderctl.cjs'), 'serve-mock', '--port', '0', '--json']
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { HOME: folder() },
  })
  const ended = once(child, 'exit')
  const [first] = await once(child.stdout, 'data')
  child.stdout.pause()
  const port = Number(new URL(JSON.parse(String(first)).url).port)
  const asked = `GET /${'x'.repeat(200)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`
  const { answers } = await exchange(port, `${`${asked}\r\n`.repeat(599)}${asked}Connection: close\r\n\r\n`)
  expect(answers).toHaveLength(600)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  child.stdout.destroy()
})

test('a flood of headers is refused, and the next request is served', { timeout }, async () => {
  const { port } = service
  const flood = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${'A: b\r\n'.repeat(200_000)}\r\n`
  const all = await Promise.all(Array.from({ length: 20 }, () => exchange(port, flood)))
  // A client that keeps writing may lose the answer to the reset.
  const heard = all.flatMap(({ answers }) => answers).map((answer) => answer[0])
  expect([...new Set(heard)]).toEqual([431])
  await service.calls.confirmed([seven])
})

test('two processes that confirm sixty orders at once spend no more than the balance', {
  timeout,
}, async () => {
  const place = folder()
  await using one = await openServed(place, { balance: 100 })
  await using two = await openServed(place, { balance: 100 })
  const ids = await Promise.all(
    Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? one : two).calls.created([seven])),
  )
  const replies = await Promise.all(
    [...ids, ...ids.toReversed(), ...ids].map((id, at) => (at % 2 === 0 ? two : one).calls.confirm(id)),
  )
  const won = replies.filter(({ status }) => status === 200).map(({ data }) => data.id)
  expect([won.length, new Set(won).size]).toEqual([14, 14])
  expect([...new Set(replies.map(({ status }) => status))].toSorted()).toEqual([200, 400, 404])
  expect([await one.calls.balance('USD'), await two.calls.balance('USD')]).toEqual([2, 2])
  expect(readDatabase(one.state, brokenInvariants)).toEqual([])
})
