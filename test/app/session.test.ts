// The observer of a session learns how each attempt ended, in the sandbox and over the network.
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { openSession } from '../../src/app/session.ts'
import { createNetwork } from '../../src/client/network.ts'
import type { CallAttempt } from '../../src/client/observe-transport.ts'
import type { Context } from '../../src/context.ts'
import { createOutput } from '../../src/ui/terminal/io.ts'
import { hastyClock } from '../support/in-process.ts'
import { folder } from '../support/orderctl.ts'
import { inRealTime, openWorld } from '../support/world.ts'

const options = { allowHttp: false, debug: true, json: true }

/** Gets an unknown order and returns the attempts, and what --debug printed. */
const observeGet = async (environment: Context['environment']) => {
  const home = folder()
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: false })
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
  const attempts: CallAttempt[] = []
  const session = await openSession(context, options, undefined, (attempt) => void attempts.push(attempt))
  onTestFinished(() => session[Symbol.asyncDispose]())
  const outcome = await session.api.get('sbx_unknown')
  return {
    outcome: outcome.kind,
    attempts: attempts.map(({ startedAt: _, ...attempt }) => attempt),
    requests: String(stream.read()).match(/GET/g)?.length,
  }
}

test.each([
  [
    'over the network',
    'get:status=429,retry-after=2',
    [
      { operation: 'get', status: 429, retryAfterMs: 2_000 },
      { operation: 'get', status: 404 },
    ],
  ],
  ['in the sandbox', undefined, [{ operation: 'get', status: 404 }]],
])('the observer of a session learns of each attempt %s', async (_, fault, attempts) => {
  const shop = await openWorld(inRealTime)
  if (fault !== undefined) await shop.fault(fault)
  const environment = fault === undefined ? { ORDERCTL_PROFILE: 'sandbox' } : shop.environment
  expect(await observeGet(environment)).toEqual({ outcome: 'refused', attempts, requests: attempts.length })
})
