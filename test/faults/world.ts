// The service behind a proxy that produces a fault.
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { settlingMs } from '../../src/operations/purchase-step.ts'
import { type JournalEntry, readJournalEntries } from '../crash/checks.ts'
import { openCounter } from '../support/network/client-servers.ts'
import type { Ran } from '../support/orderctl.ts'
import { openWorld as openShop, toWire } from '../support/world.ts'
import { faults, goodPair } from './faults.ts'
import { type Entry, type FaultPlan, openFaultProxy } from './proxy.ts'
import { key } from './response.ts'

/** The deadline of every call. No wait is as long. */
const deadlineMs = 43_000

/** The password of the proxy. It must not appear in any output. */
export const proxyPassword = 'sesame-of-the-proxy'

const addressFor = (entry: Entry, port: number): Record<string, string> => {
  const proxy = `http://me:${proxyPassword}@127.0.0.1:${port}`
  switch (entry) {
    case 'http':
      return { ORDERCTL_BASE_URL: `http://127.0.0.1:${port}` }
    case 'https':
      return { ORDERCTL_BASE_URL: `https://localhost:${port}` }
    case 'tunnel':
      return { ORDERCTL_BASE_URL: 'https://orders.test', HTTPS_PROXY: proxy }
    case 'forward':
      return { ORDERCTL_BASE_URL: 'http://orders.test', HTTP_PROXY: proxy, ORDERCTL_ALLOW_HTTP: '1' }
    case 'nowhere':
      return { ORDERCTL_BASE_URL: 'https://orders.invalid' }
  }
}

type WorldOptions = {
  readonly entry: Entry
  /** Its name. */
  readonly fault: string
}

export type World = Awaited<ReturnType<typeof openWorld>>

export const openWorld = async ({ entry, fault: named }: WorldOptions) => {
  const fault = faults[named]
  if (fault === undefined) throw new Error(`there is no fault like ${named}`)
  const stack = new AsyncDisposableStack()
  // Orders must not finish during a test.
  const shop = await openShop({ service: 'socket', key, processingMs: 3_600_000 }, (end) => stack.defer(end))
  const elsewhere = stack.use(await openCounter('127.0.0.1'))
  const passOnClock = async (ms: number): Promise<void> => {
    shop.clock.pass(ms)
    await setImmediate()
  }
  const proxy = await openFaultProxy({
    ...{ entry, fault, elsewhere: elsewhere.origin },
    servicePort: Number(new URL(shop.environment.ORDERCTL_BASE_URL ?? '').port),
    pair: entry === 'tunnel' ? goodPair.tunnel : goodPair.https,
    pass: passOnClock,
  })
  stack.defer(proxy.close)
  const clock = {
    ...shop.ownClock,
    sleep: async (ms: number, signal?: AbortSignal): Promise<void> => {
      if (ms !== deadlineMs && ms !== settlingMs) await proxy.waited()
      await shop.ownClock.sleep(ms, signal)
    },
  }
  const env = { ORDERCTL_TIMEOUT: `${deadlineMs}ms`, ...addressFor(entry, proxy.port) }
  let logged = 0
  return {
    entry,
    calls: shop.calls,
    run: (words: readonly string[]): Promise<Ran> => shop.run(words, { env, clock }),
    order: async (reference: string) => {
      const { data } = await shop.calls.mock('GET', '/state')
      const found = data.orders.find((each: { reference: string }) => each.reference === reference)
      return found === undefined ? undefined : (await shop.calls.get(found.id)).data
    },
    wire: proxy.wire,
    mostBytes: proxy.mostBytes,
    /** How many connections were made to a server that must not be called. */
    unrelatedCalls: (): number => elsewhere.bytes.length,
    /** The requests that reached the service, a letter each. */
    serviceLog: (): string => toWire(shop.operations().slice(logged)),
    setFault: async (setFault: FaultPlan): Promise<void> => {
      logged = shop.operations().length
      await proxy.setFault(setFault)
    },
    entries: (): Promise<JournalEntry[]> => readJournalEntries(path.join(shop.home, 'state', 'journal.db')),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
