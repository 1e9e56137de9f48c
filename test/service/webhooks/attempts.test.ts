// Attempts to deliver: responses, failures, addresses and signatures.

import { Buffer } from 'node:buffer'
import dns from 'node:dns'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { findSecretProblem } from '../../../src/contract/webhook-signature.ts'
import { createSignatureHeaders } from '../../../src/service/webhooks.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { openReceiver, openSocket } from './webhook-receiver.ts'
import { firstAttempt, once, sender } from './webhook-sender.ts'

/** The first attempt, whose clock advances once `until` has resolved. */
const attemptLate = async (url: string, ms: number, until: () => Promise<unknown>, extra: object = {}) => {
  const { deliver, clock, log } = sender([url], extra)
  const delivering = deliver()
  await until()
  clock.advance(ms)
  await delivering
  expect(clock.sleepers.size).toBe(0)
  return log()
}

const timedOut = once('pending', { error: 'timed out after 15 s' })

describe('a response', () => {
  test('that never arrives causes a timeout', async () => {
    await using receiver = await openReceiver(() => {})
    const isReceived = () => waitUntil(() => receiver.received.length === 1)
    expect(await attemptLate(receiver.url, 15_000, isReceived)).toEqual(timedOut)
  })

  const incomplete = 'the connection closed before the response was complete'
  const upgrade = 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
  test.each<[string, Parameters<typeof openSocket>[0], string]>([
    ['a reset', (socket) => socket.once('data', () => socket.resetAndDestroy()), 'connection reset'],
    ['a close without a byte', (socket) => socket.once('data', () => socket.end()), incomplete],
    ['not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), 'the response is not HTTP'],
    ['another protocol', (socket) => socket.end(upgrade), incomplete],
  ])('that is %s is a failure', async (_name, talk, error) => {
    await using socket = await openSocket(talk)
    expect(await firstAttempt(`http://127.0.0.1:${socket.port}/`)).toEqual(once('pending', { error }))
  })

  test('from a closed port is a failure', async () => {
    const { port, ...socket } = await openSocket(() => {})
    await socket[Symbol.asyncDispose]()
    const refused = once('pending', { error: 'connection refused' })
    expect(await firstAttempt(`http://127.0.0.1:${port}/`)).toEqual(refused)
  })
})

describe('a host', () => {
  test('that is not allowed is not retried', async () => {
    const error = 'host not allowed: 10.0.0.1 (allow it with --webhook-allow 10.0.0.1)'
    expect(await firstAttempt('http://10.0.0.1/')).toEqual(once('given-up', { error }))
  })

  test('that does not exist is not retried', async () => {
    const gone = once('given-up', { error: 'cannot resolve gone.invalid' })
    expect(await firstAttempt('http://gone.invalid/', { allowed: new Set(['gone.invalid']) })).toEqual(gone)
  })

  test('whose name cannot be resolved at the moment is retried', async () => {
    const error = Object.assign(new Error('canary'), { code: 'EAI_AGAIN', hostname: 'away.invalid' })
    const refuse = (...given: unknown[]) => (given.at(-1) as (error: Error) => void)(error)
    const resolving = vi.spyOn(dns, 'lookup').mockImplementation(refuse as typeof dns.lookup)
    onTestFinished(() => resolving.mockRestore())
    const away = once('pending', { error: 'cannot resolve away.invalid' })
    expect(await firstAttempt('http://away.invalid/', { allowed: new Set(['away.invalid']) })).toEqual(away)
  })
})

test('a plain secret signs as whsec_ and its base64, which receivers need', () => {
  const secret = 'größer als 1 €'
  const encoded = `whsec_${Buffer.from(secret).toString('base64')}`
  const delivery = { id: 'msg_1', at: 0, body: '{}' }
  expect(createSignatureHeaders(delivery, secret)).toEqual(createSignatureHeaders(delivery, encoded))
})

const noBase64 = 'whsec_ must be followed by base64'
const asymmetric = 'ed25519 keys are not supported; use whsec_ followed by base64, or any text'
test.each([
  ...['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_c2VjcmV0', 'whsec_c2VjcmV0cw', 'whsec_c2VjcmV0cw=='],
  ...['s3cret with spaces'],
])('the secret %j is valid', (secret) => expect(findSecretProblem(secret)).toBeUndefined())

test.each([
  ['it is empty', ''],
  [noBase64, 'whsec_', 'whsec_a', 'whsec_c2Vj*mV0', 'whsec_c2VjcmV0=', 'whsec_c2VjcmV0\n'],
  [asymmetric, 'whsk_c2VjcmV0', 'whpk_c2VjcmV0'],
])('a secret is refused because %s', (problem, ...secrets) => {
  expect(secrets.map(findSecretProblem)).toEqual(secrets.map(() => problem))
})
