// The built serve-mock against hostile clients: idle sockets, ambiguous requests, floods and races.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { exchange, openRaw } from '../support/network/raw-socket.ts'
import { folder } from '../support/orderctl.ts'
import { openScratch } from '../support/scratch.ts'
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
  const { responses } = await exchange(port, `${`${asked}\r\n`.repeat(599)}${asked}Connection: close\r\n\r\n`)
  expect(responses).toHaveLength(600)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  child.stdout.destroy()
})
