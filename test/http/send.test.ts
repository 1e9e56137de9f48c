import { expect, test } from 'vitest'
import { jsonLimits } from '../../src/contract/json.ts'
import { createdExample } from '../../src/contract/openapi/examples.ts'
import { NotSentError } from '../../src/contract/transport.ts'
import { describeAbort, describeError, notThisMachine, send } from '../../src/http/send.ts'
import { openClient as open } from '../client/open-client.ts'
import { request } from '../support/client-api.ts'
import { line } from '../support/embedded.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { openHttp } from '../support/network/client-servers.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openTalker } from './socket-servers.ts'

const order = request([line('GAME-DE', { quantity: 2 })])
const good = JSON.stringify(createdExample)
const json = { 'content-type': 'application/json' }

type Dispatched = Parameters<Parameters<typeof send>[0]['dispatch']>[1]

/** A dispatcher that does what a test tells it to. undici sends a request again only if a connection breaks in time. */
const scripted = () => {
  let handler: Dispatched | undefined
  const aborted: number[] = []
  let count = 0
  const dispatcher = {
    dispatch: (_options: unknown, given: Dispatched) => {
      handler = given
      return true
    },
  } as unknown as Parameters<typeof send>[0]
  const start = (): void => {
    const number = count
    count += 1
    handler?.onRequestStart?.({ abort: () => void aborted.push(number) } as never, {})
  }
  const response = (status: number): void => {
    handler?.onResponseStart?.({} as never, status, {}, '')
    handler?.onResponseEnd?.({} as never, {})
  }
  const fail = (code: string): void =>
    handler?.onResponseError?.({} as never, Object.assign(new Error('no'), { code }))
  return { dispatcher, start, response, fail, aborted }
}
const options = { origin: 'http://127.0.0.1:9', path: '/', method: 'PUT' } as const

// What a call has done before undici begins to send its request, or to send it again.
test.each<[string, (call: ReturnType<typeof scripted>, stop: AbortController) => void, boolean, number[]]>([
  ['is not sent a second time', ({ start, fail }) => [start(), start(), fail('ECONNRESET')], true, [1, 0]],
  ['is not sent after its call has failed', ({ start, fail }) => [fail('ECONNREFUSED'), start()], false, [0]],
  ['is not sent after its call was interrupted', ({ start }, stop) => [stop.abort(), start()], false, [0]],
  ['is aborted if its call is interrupted', ({ start }, stop) => [start(), stop.abort()], true, [0]],
])('a request that undici begins to send %s', async (_name, act, mayBeSent, aborted) => {
  const [call, stop] = [scripted(), new AbortController()]
  const sent = send(call.dispatcher, options, stop.signal).catch((error: unknown) => error)
  act(call, stop)
  const error = await sent
  expect(error).toBeInstanceOf(Error)
  expect([error instanceof NotSentError, call.aborted]).toEqual([!mayBeSent, aborted])
})

test('the connection of a call that timed out is closed', async () => {
  let isClosed = false
  await using server = await openTalker((socket) => {
    socket.once('close', () => {
      isClosed = true
    })
  })
  const clock = createManualClock()
  const api = open(server.origin, { clock })
  const outcome = api.confirm('x')
  await waitUntil(() => server.heard.length === 1)
  clock.advance(45_000)
  expect(await outcome).toEqual({ kind: 'unknown', reason: 'timed out after 45 s' })
  await waitUntil(() => isClosed)
})

test.each([
  [jsonLimits.maxBytes, { kind: 'done' }],
  [jsonLimits.maxBytes + 1, { kind: 'unknown', reason: 'the response is larger than 2 MiB' }],
])('a response of %i bytes', async (size, wanted) => {
  const body = good.padEnd(size, ' ')
  await using server = await openHttp((_req, res) => res.writeHead(200, json).end(body))
  expect(await open(server.origin).create(order)).toMatchObject(wanted)
})

const failed = (code: string | undefined, more: object = {}) =>
  Object.assign(new Error('canary'), code === undefined ? {} : { code }, more)

test.each<[Error, string]>([
  [failed('ECONNREFUSED'), 'connection refused'],
  [failed('EPIPE'), 'connection reset'],
  [failed('ENOTFOUND'), 'cannot resolve shop.test'],
  [failed('ENOTFOUND', { hostname: 'proxy.test' }), 'cannot resolve proxy.test'],
  [failed('EAI_AGAIN', { hostname: 7 }), 'cannot resolve shop.test'],
  [failed('ERR_TLS_CERT_ALTNAME_INVALID'), 'certificate is not for shop.test'],
  [failed('ERR_SSL_WRONG_VERSION_NUMBER'), 'TLS handshake failed'],
  [failed('ERR_TLS_INVALID_PROTOCOL_VERSION'), 'TLS handshake failed'],
  [failed('HPE_INVALID_CONSTANT'), 'the response is not HTTP'],
  [Object.assign(failed(undefined), { name: 'HTTPParserError' }), 'the response is not HTTP'],
  [
    failed(notThisMachine, { address: '192.0.2.7' }),
    'shop.test resolves to 192.0.2.7, not to this machine: plain http needs --allow-http',
  ],
  // The first of several addresses.
  [new AggregateError([failed('ETIMEDOUT'), failed('ECONNREFUSED')], 'canary'), 'connection timed out'],
  [new AggregateError([], 'canary'), 'failed: AggregateError'],
  [new AggregateError(['canary'], 'canary'), 'failed: AggregateError'],
  [failed('EWHATEVER'), 'failed: EWHATEVER'],
  [failed(undefined), 'failed: Error'],
  [failed(undefined, { code: 7 }), 'failed: Error'],
])('%o', (error, reason) => {
  expect(describeError(error, 'shop.test')).toBe(reason)
})

test('a signal is aborted by its own reason, or by an interruption', () => {
  const reasons = [new Error('timed out after 1 s'), undefined, 'SIGINT', new DOMException('x', 'AbortError')]
  expect(reasons.map((reason) => describeAbort(AbortSignal.abort(reason)))).toEqual([
    'timed out after 1 s',
    'interrupted',
    'interrupted',
    'interrupted',
  ])
})
