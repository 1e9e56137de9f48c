// Connections of the listener: bytes that are wrong or slow, faults instead of a response, and closing.
import { describe, expect, test } from 'vitest'
import { DisconnectedError, type ServedResponse } from '../../src/contract/transport.ts'
import type { Serve } from '../../src/server/http-server.ts'
import { expectSteps, testSteps } from '../support/steps.ts'
import { turnEventLoop } from '../support/wait-until.ts'
import { json, last, open, openDesk } from './listener-desk.ts'

const chunked = 'Transfer-Encoding: chunked'
const tooLarge = 'The request body is larger than 65536 bytes.'
/** Node itself refuses what is not valid HTTP. */
const byNode = (status: string) => JSON.stringify(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`)

describe('a connection', () => {
  testSteps(
    `
== that is not HTTP is refused
  bytes \\x16\\x03\\x01\\x00\\xa5; closed → ${byNode('400 Bad Request')}
== with a large body is read on, so that the client gets the refusal
  say POST /, Content-Length: 300000; hears larger than; turn; open → true; bytes 300000x
  closed → 413 ${tooLarge}
== with a Content-Length that is too large never reaches the transport
  say POST /1, Content-Length: 20 = {}; reset; closed → no response…; ask GET /2, last → 200 /2
  requests → /2; defects → none
`,
    openDesk,
  )

  testSteps(
    `
== that sends nothing gets a timeout
  closed → ${byNode('408 Request Timeout')}
== that stops in its first line gets a timeout
  bytes GET /; closed → ${byNode('408 Request Timeout')}; requests → none
== that stops in its headers gets a timeout
  bytes GET / HTTP/1.1\\r\\nHOST\\r\\n; closed → ${byNode('408 Request Timeout')}; requests → none
`,
    () => openDesk({ limits: { headersMs: 40, requestMs: 60_000 } }),
  )

  testSteps(
    `
== that stops in its body gets a timeout
  say POST /, Content-Length: 10 = {}; closed → ${byNode('408 Request Timeout')}; requests → none
== that stops in its chunks gets a timeout
  say POST /, ${chunked} = 2\\r\\n{}; closed → ${byNode('408 Request Timeout')}; requests → none
== that is slow with a body that is too large gets only that refusal
  say POST /, Content-Length: 70000 = x; closed → 413 ${tooLarge}…
`,
    () => openDesk({ limits: { headersMs: 40, requestMs: 80 } }),
  )
})

test('a connection beyond the limit is closed without a response, until another one ends', async () => {
  await using service = await open({ limits: { connections: 1 } })
  const first = await service.talk('GET /1')
  await first.hears('/1')
  expect(await service.ask('GET /2', [last])).toMatchObject({ responses: [] })
  first.reset()
  const askAgain = async () => (await service.ask('GET /3', [last])).responses
  while ((await askAgain()).length === 0) await turnEventLoop()
  expect(service.requests.map(({ path }) => path)).toEqual(['/1', '/3'])
})

const respond = (response: Partial<ServedResponse>) => () =>
  openDesk({ transport: async () => ({ status: 200, headers: {}, body: '', ...response }) })
const reject = (error: Error) => () => openDesk({ transport: () => Promise.reject(error) })

describe('instead of a response', () => {
  const short = '"HTTP/1.1 200 OK\\r\\ncontent-length: 20\\r\\nconnection: close\\r\\n\\r\\n{\\"a\\":"'
  const failed = 'closed → 500 Unexpected server error.; defects → Error: secret'
  const both = (status: number) => `closed; text → HTTP/1.1 ${status} HTTP/1.1 ${status}`
  const secret = reject(new Error('secret'))

  // Only onDefect gets the error.
  test.each<[string, () => ReturnType<typeof openDesk>, string]>([
    ['a defect ends a request with 500', secret, `say GET /; ${failed}`],
    ['a defect ends a request with a body', secret, `say POST /, Content-Length: 2 = {}; ${failed}`],
    [
      'the fault reset resets the connection',
      reject(new DisconnectedError('reset')),
      'say GET /; closed → no response, reset; defects → none',
    ],
    [
      'the fault close closes the connection without a byte',
      reject(new DisconnectedError('close')),
      'say GET /; closed → no response; defects → none',
    ],
    [
      'a response with an invalid header is a defect',
      respond({ headers: { 'x-a': 'a\r\nb: c' } }),
      'say GET /; closed → 500 Unexpected server error.; defects → TypeError…',
    ],
    [
      'the connection closes after a body that is shorter than announced',
      respond({ headers: { 'content-length': '20' }, body: '{"a":' }),
      `say GET /; closed → ${short}`,
    ],
    ['a 204 has no Content-Length', respond({ status: 204 }), `say GET /1; say GET /2, last; ${both(204)}`],
  ])('%s', async (_title, openWith, steps) => expectSteps(await openWith(), steps))
})

test('a client that resets during its response does not affect other clients', async () => {
  await using service = await open({
    transport: async ({ path }) => ({
      status: 200,
      headers: json,
      body: path === '/big' ? 'x'.repeat(10_000_000) : path,
    }),
  })
  using raw = await service.talk('GET /big')
  await raw.hears('xxx')
  raw.reset()
  expect(await service.ask('GET /2', [last])).toEqual({ responses: [[200, '/2']], end: 'closed' })
  expect(service.defects).toEqual([])
})

describe('closing', () => {
  /** The transport responds after `release`, or when the request is aborted. */
  const openHeld = () => {
    const released = Promise.withResolvers<void>()
    const transport: Serve = async ({ path, signal }) => {
      signal?.addEventListener('abort', () => released.resolve())
      await released.promise
      return { status: 200, headers: json, body: path }
    }
    return openDesk({ transport, release: released.resolve, limits: { closeMs: 5_000 } })
  }

  testSteps(
    `
== responds to a pending request, and then closes its connection
  say GET /1; received; close; release; ended; closed → 200 /1; sleepers 0
== aborts the pending requests after its time limit
  say GET /1; received; close; advance 4999; turn; aborted → false
  advance 1; ended; aborted → true; closed
== does not wait past its limit for an incomplete request
  say POST /1, Content-Length: 9, Expect: 100-continue; hears 100 Continue; close; advance 5000; ended
  closed; requests → none
`,
    openHeld,
  )

  testSteps(
    `
== closes idle connections, and accepts no new ones
  say GET /1; hears /1; close; ended; closed → 200 /1; connect → ECONNREFUSED
== closes connections without a request, and twice is the same as once
  close; close; ended; close; ended; closed → no response; sleepers 0
`,
    () => openDesk({ limits: { closeMs: 5_000, keepAliveMs: 60_000 } }),
  )
})
