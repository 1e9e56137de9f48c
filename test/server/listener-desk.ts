// A listener on a free port, and histories of one connection to it.
import { expect, onTestFinished } from 'vitest'
import type { Clock } from '../../src/contract/time.ts'
import type { HttpRequest } from '../../src/contract/transport.ts'
import type { Serve } from '../../src/server/http-server.ts'
import { type ServeOptions, serveOn } from '../../src/server/http-server.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { exchange, openRaw } from '../support/network/raw-socket.ts'
import { turnEventLoop, waitUntil } from '../support/wait-until.ts'

export const json = { 'content-type': 'application/json' }

type Setup = {
  readonly transport?: (request: HttpRequest, clock: Clock) => ReturnType<Serve>
  readonly limits?: ServeOptions['limits']
}

/** Opens a listener on a free port. By default its transport responds with the request's path. */
export const open = async ({ transport, limits }: Setup = {}) => {
  const requests: HttpRequest[] = []
  const defects: unknown[] = []
  const clock = createManualClock()
  const listener = await serveOn(
    async (request) => {
      requests.push(request)
      return transport === undefined
        ? { status: 200, headers: json, body: request.path }
        : transport(request, clock)
    },
    {
      ...{ host: '127.0.0.1', port: 0, clock, limits: { closeMs: 0, ...limits } },
      onDefect: (error) => defects.push(error),
    },
  )
  const { port } = listener.address
  const host = `Host: 127.0.0.1:${port}\r\n`
  /** Writes a request with the right Host header. */
  const write = (line: string, headers: readonly string[] = [], body = ''): string =>
    `${line} HTTP/1.1\r\n${host}${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`
  return {
    ...listener,
    ...{ port, clock, requests, defects, write },
    /** Sends one request, and reads until the listener closes the connection. */
    ask: (...request: Parameters<typeof write>) => exchange(port, write(...request)),
    /** Sends one request on a connection that the test goes on with. */
    talk: async (...request: Parameters<typeof write>) => {
      const raw = await openRaw(port)
      raw.say(write(...request))
      return raw
    },
    [Symbol.asyncDispose]: listener.close,
  }
}

export const last = 'Connection: close'

const readEscapes = (text: string): string =>
  text
    .replace(/\\x(..)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\\r', '\r')
    .replaceAll('\\n', '\n')
    .replace(/^(\d+)x$/, (_, count) => 'x'.repeat(Number(count)))

/** The steps of one connection. `say LINE, HEADER, … = BODY` writes a request. */
export const openDesk = async (setup: Setup & { readonly release?: () => void } = {}) => {
  const service = await open(setup)
  const raw = await openRaw(service.port)
  onTestFinished(async () => {
    raw[Symbol.dispose]()
    await service.close()
  })
  const describeEnd = ({ responses, end }: Awaited<ReturnType<typeof exchange>>) => {
    const told = responses.map((each) => {
      if (typeof each === 'string') return JSON.stringify(each)
      return `${each[0]} ${each[1].replace(/^\{"message":"(.*)"\}$/, '$1')}`
    })
    // After a whole response, bytes that the server did not read may still reset the connection.
    if (told.length === 0) return end === 'reset' ? 'no response, reset' : 'no response'
    return told.join(', ')
  }
  const requestOf = (words: string): Parameters<typeof service.write> => {
    const [head = '', body = ''] = words.split(' = ')
    const [line = '', ...headers] = head.split(', ')
    return [line, headers.map((header) => (header === 'last' ? last : header)), readEscapes(body)]
  }
  let closing: Promise<unknown> | undefined
  return {
    say: (words: string) => raw.say(service.write(...requestOf(words))),
    bytes: (text: string) => raw.say(readEscapes(text.replace('HOST', `Host: 127.0.0.1:${service.port}`))),
    hears: (text: string) => raw.hears(readEscapes(text)),
    ends: async (text: string) => {
      await turnEventLoop()
      expect(raw.text().endsWith(readEscapes(text))).toBe(true)
    },
    open: () => raw.isOpen(),
    closed: async () => describeEnd(await raw.closed()),
    text: () =>
      raw
        .text()
        .match(/HTTP\/1\.1 \d+|content-length/gi)
        ?.join(' '),
    /** Sends a request on another connection. */
    ask: async (words: string) => describeEnd(await service.ask(...requestOf(words))),
    reset: () => void raw.reset(),
    requests: () => service.requests.map(({ path, body }) => [path, body].join(' ').trim()).join() || 'none',
    received: () => waitUntil(() => service.requests.length > 0),
    release: () => setup.release?.(),
    aborted: () => service.requests[0]?.signal?.aborted,
    defects: () => service.defects.map(String).join() || 'none',
    advance: (ms: string) => service.clock.advance(Number(ms)),
    turn: () => turnEventLoop(),
    sleepers: async (count: string) => {
      await waitUntil(() => service.clock.sleepers.size === Number(count))
      await turnEventLoop()
      expect(service.clock.sleepers.size).toBe(Number(count))
    },
    /** Starts to close the listener. */
    close: () => {
      closing = service.close()
    },
    ended: async () => closing,
    connect: () => openRaw(service.port).then(String, ({ code }) => code),
  }
}
