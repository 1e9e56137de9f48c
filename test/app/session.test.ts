// The observer of a session learns how each attempt ended, in the sandbox and over the network.
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { openSession } from '../../src/app/session.ts'
import { createNetwork } from '../../src/client/network.ts'
import type { Attempt } from '../../src/client/observe-transport.ts'
import type { Context } from '../../src/context.ts'
import { listen } from '../../src/server/http-server.ts'
import { createOutput } from '../../src/ui/terminal/io.ts'
import { openService } from '../support/embedded.ts'
import { hastyClock } from '../support/in-process.ts'
import { folder } from '../support/orderctl.ts'

const options = { allowHttp: false, debug: true, json: true }

/** Gets an unknown order and returns the attempts, and what --debug printed. */
const observeGet = async (environment: Context['environment']) => {
  const home = folder()
  let printed = ''
  const stream = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (text, _encoding, done) => {
        printed += text
        done()
      },
    }),
    { isTTY: false },
  )
  const context = {
    version: '0',
    stderr: createOutput({ isTerminal: false, stream: () => stream }, false, undefined),
    clock: hastyClock(),
    random: () => 0,
    environment: { HOME: home, ...environment },
    platform: process.platform,
    home,
    interrupted: new AbortController().signal,
    openNetwork: async (network: Parameters<typeof createNetwork>[0]) => createNetwork(network),
    isLockSeen: async () => true,
  } as unknown as Context
  const attempts: Attempt[] = []
  const session = await openSession(context, options, undefined, (attempt) => void attempts.push(attempt))
  onTestFinished(() => session[Symbol.asyncDispose]())
  const outcome = await session.api.get('sbx_unknown')
  return {
    outcome: outcome.kind,
    attempts: attempts.map(({ startedAt: _, ...attempt }) => attempt),
    requests: printed.match(/GET/g)?.length,
  }
}

const openShop = async () => {
  const service = await openService()
  const listener = await listen(service.transport, { host: '127.0.0.1', port: 0, clock: service.clock })
  onTestFinished(async () => {
    await listener.close()
    await service[Symbol.asyncDispose]()
  })
  return {
    service,
    environment: { ORDERCTL_BASE_URL: listener.origin, ORDERCTL_API_KEY: 'the-key' },
  }
}

test('the observer of a session learns of each attempt over the network', async () => {
  const { service, environment } = await openShop()
  await service.mock('POST', '/faults', { fault: 'get:status=429,retry-after=2' })
  expect(await observeGet(environment)).toEqual({
    outcome: 'refused',
    attempts: [
      { operation: 'get', status: 429, retryAfterMs: 2_000 },
      { operation: 'get', status: 404 },
    ],
    requests: 2,
  })
})

test('the observer of a session learns of each attempt in the sandbox', async () => {
  expect(await observeGet({ ORDERCTL_PROFILE: 'sandbox' })).toEqual({
    outcome: 'refused',
    attempts: [{ operation: 'get', status: 404 }],
    requests: 1,
  })
})
