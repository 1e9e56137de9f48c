// One service, one proxy in front of it, and one home. Runs a command on them.
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findOperation } from '../../src/contract/endpoints.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { listen } from '../../src/server/http-server.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { openEmbedded } from '../../src/service/embedded.ts'
import { type JournalEntry, readJournalEntries } from '../crash/checks.ts'
import { callsOver } from '../support/embedded.ts'
import { inProcess, realClock } from '../support/in-process.ts'
import type { Ran, RunOptions } from '../support/orderctl.ts'
import { deadlineMs, steppingClock } from './clock.ts'
import { faults, goodPair } from './faults.ts'
import { type Entry, type FaultPlan, openFaultProxy } from './proxy.ts'
import { key } from './response.ts'

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

/** Counts connections and closes them. */
const openUnrelatedServer = async () => {
  let calls = 0
  const server = createServer((socket) => {
    calls += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, calls: () => calls, close: () => void server.close() }
}

type WorldOptions = {
  readonly entry: Entry
  /** Its name. */
  readonly fault: string
  /** The program to run. By default orderctl runs in process, on a clock that does not wait. */
  readonly program?: ((words: readonly string[], options: RunOptions) => Promise<Ran>) | undefined
}

export type World = Awaited<ReturnType<typeof openWorld>>

export const openWorld = async ({ entry, fault: named, program }: WorldOptions) => {
  const fault = faults[named]
  if (fault === undefined) throw new Error(`there is no fault like ${named}`)
  const home = mkdtempSync(path.join(tmpdir(), 'orderctl-faults-'))
  const stepping = steppingClock()
  const clock = program === undefined ? stepping : realClock
  // On the real clock: longer than three attempts with their waits, shorter than the connector's own ten seconds.
  const timeoutMs = program === undefined ? deadlineMs : 9_000
  const embedded = openEmbedded({
    ...{ clock, catalogue: builtInCatalogue(), stateFile: ':memory:', apiKey: key, seed: 'faults' },
    // Orders must not finish during a test.
    processingMs: 3_600_000,
  })
  let serviceLog = ''
  const loggingTransport: Transport = (request) => {
    const operation = findOperation(request.method, request.path)
    serviceLog += operation === 'confirm' ? 'p' : (operation?.[0] ?? '')
    return embedded.transport(request)
  }
  const listener = await listen(loggingTransport, { host: '127.0.0.1', port: 0, clock: realClock })
  const elsewhere = await openUnrelatedServer()
  const proxy = await openFaultProxy({
    ...{ entry, fault, elsewhere: elsewhere.origin },
    servicePort: listener.address.port,
    pair: entry === 'tunnel' ? goodPair.tunnel : goodPair.https,
    // The real clock advances by itself.
    pass: program === undefined ? stepping.pass : (ms) => realClock.sleep(Math.min(ms, 1_000)),
  })
  stepping.onWait(proxy.waited)
  const environment = {
    ...{ TZ: 'UTC', NO_COLOR: '1', ORDERCTL_STATE_DIR: path.join(home, 'state'), ORDERCTL_API_KEY: key },
    ...{ ORDERCTL_TIMEOUT: `${timeoutMs}ms`, ...addressFor(entry, proxy.port) },
  }
  const calls = callsOver(embedded.transport, key)
  const run = (words: readonly string[]): Promise<Ran> =>
    (program ?? inProcess)(words, { cwd: home, env: environment, ...{ clock } })
  return {
    entry,
    /** The deadline of its calls. */
    timeoutMs,
    calls,
    run,
    order: async (reference: string) => {
      const { data } = await calls.mock('GET', '/state')
      const found = data.orders.find((each: { reference: string }) => each.reference === reference)
      return found === undefined ? undefined : (await calls.get(found.id)).data
    },
    wire: proxy.wire,
    mostBytes: proxy.mostBytes,
    unrelatedCalls: elsewhere.calls,
    /** The requests that reached the service, a letter each. */
    serviceLog: (): string => serviceLog,
    setFault: async (setFault: FaultPlan): Promise<void> => {
      serviceLog = ''
      await proxy.setFault(setFault)
    },
    entries: (): Promise<JournalEntry[]> => readJournalEntries(path.join(home, 'state', 'journal.db')),
    async [Symbol.asyncDispose]() {
      await proxy.close()
      await listener.close()
      elsewhere.close()
      embedded.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
