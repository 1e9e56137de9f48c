// orderctl behind a proxy that the test controls. All parts share one clock: short waits end at once and advance it, and
// deadlines come when enough time has passed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { findOperation } from '../../src/contract/endpoints.ts'
import type { HttpRequest, HttpResponse, Transport } from '../../src/contract/transport.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { openEmbedded } from '../../src/service/embedded.ts'
import { apiKey, callsOver } from './embedded.ts'
import { inSituation, neverLate, realClock, type Situation } from './in-process.ts'

/** Answers a request, with or without the service. */
export type Relay = (request: HttpRequest, service: Transport) => Promise<HttpResponse>

const longestWaitMs = 20_000

const passingClock = () => {
  let now = Date.UTC(2026, 2, 1, 12)
  const deadlines = new Set<{ readonly at: number; readonly wake: () => void }>()
  const pass = (ms: number): void => {
    now += ms
    for (const deadline of deadlines) {
      if (deadline.at > now) continue
      deadlines.delete(deadline)
      deadline.wake()
    }
  }
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return
    if (ms <= longestWaitMs) return pass(ms)
    await new Promise<void>((wake) => {
      deadlines.add({ at: now + ms, wake })
      signal?.addEventListener('abort', () => wake(), { once: true })
    })
  }
  return { ...neverLate({ ...realClock, now: () => now, monotonic: () => now, sleep }), pass }
}

const isOperation = ({ method, path }: HttpRequest): boolean => findOperation(method, path) !== undefined

const nameOf = ({ method, path }: HttpRequest): string => findOperation(method, path) ?? 'other'

const readJson = ({ body }: HttpRequest | HttpResponse) =>
  JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))

/** Changes the data of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: a test changes any field of an answer.
export const altered = (response: HttpResponse, change: (data: any) => unknown): HttpResponse => {
  const document = readJson(response)
  if (document.data === undefined) return response
  const { 'content-length': _, ...headers } = response.headers
  return { ...response, headers, body: JSON.stringify({ ...document, data: change(document.data) }) }
}

/** An answer that the proxy makes itself. */
export const answer = (status: number, message: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
})

/** A call that never ends, not even by its deadline, as if the process was killed. */
export const never = (): Promise<never> => new Promise(() => {})

export const proxied = async ({ processingMs = 2_000 }: { readonly processingMs?: number } = {}) => {
  const home = mkdtempSync(path.join(tmpdir(), 'orderctl-test-'))
  const clock = passingClock()
  const embedded = openEmbedded({
    ...{ clock, catalogue: builtInCatalogue(), stateFile: ':memory:', seed: 'test', apiKey, processingMs },
  })
  onTestFinished(() => {
    embedded.close()
    rmSync(home, { recursive: true, force: true })
  })
  const sent: string[] = []
  const bought: string[] = []
  const service: Transport = async (request) => {
    const response = await embedded.transport(request)
    if (nameOf(request) === 'confirm' && response.status === 200) bought.push(readJson(request).orderId)
    return response
  }
  const honest: Relay = (request) => service(request)
  let proxy = honest
  const openNetwork: Situation['openNetwork'] = async () => {
    const transport: Transport = async (request) => {
      if (isOperation(request)) sent.push(nameOf(request))
      return proxy(request, service)
    }
    return Object.assign(transport, { close: async () => {} })
  }
  const fixed = {
    ...{ TZ: 'UTC', NO_COLOR: '1', ORDERCTL_STATE_DIR: path.join(home, 'state') },
    ...{ ORDERCTL_CONFIG_DIR: path.join(home, 'config') },
    ...{ ORDERCTL_BASE_URL: 'https://orders.example', ORDERCTL_API_KEY: apiKey },
  }
  const run = (words: readonly string[], { env = {}, ...more }: Situation = {}) =>
    inSituation(words, { cwd: home, clock, openNetwork, env: { ...fixed, ...env }, ...more })

  return {
    home,
    clock,
    run,
    /** How often orderctl sent the operation. */
    sent: (operation: string): number => sent.filter((each) => each === operation).length,
    /** The ids of the confirmed orders, one for each confirm that took effect. */
    bought: (): readonly string[] => bought,
    calls: callsOver(service),
    service,
    /** Sets the proxy. Without an argument it forwards everything. */
    through: (next: Relay = honest): void => {
      proxy = next
    },
    /** With --json: the exit code and the document or the error. */
    asks: async (words: readonly string[], situation: Situation = {}) => {
      const { exit, stdout, stderr } = await run([...words, '--json'], situation)
      const error = /^\{"error":.*\}$/m.exec(stderr)?.[0]
      return {
        exit,
        stderr,
        ...(stdout === '' ? {} : { data: JSON.parse(stdout) }),
        ...(error === undefined ? {} : { error: JSON.parse(error).error }),
      }
    },
    /** The stdout of what must succeed. */
    must: async (words: readonly string[], situation: Situation = {}): Promise<string> => {
      const { exit, stdout, stderr } = await run(words, situation)
      if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}\n${stdout}${stderr}`)
      return stdout.trim()
    },
    /** What the journal holds. */
    journal: (sql: string): Record<string, unknown>[] => {
      const database = new DatabaseSync(path.join(home, 'state', 'journal.db'), { readOnly: true })
      try {
        return database
          .prepare(sql)
          .all()
          .map((row) => ({ ...row }))
      } finally {
        database.close()
      }
    },
  }
}

export type Proxied = Awaited<ReturnType<typeof proxied>>

/** Limits a relay to one operation. */
export const on =
  (operation: string, does: Relay): Relay =>
  (request, service) =>
    nameOf(request) === operation ? does(request, service) : service(request)

export const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'po-1']
