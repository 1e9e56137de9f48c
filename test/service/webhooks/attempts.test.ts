// Attempts to deliver: responses, failures, addresses and signatures.

import { Buffer } from 'node:buffer'
import { subscribe } from 'node:diagnostics_channel'
import { describe, expect, test } from 'vitest'
import { findSecretProblem } from '../../../src/contract/webhook-signature.ts'
import type { Lookup } from '../../../src/service/webhooks/address.ts'
import { createSignatureHeaders } from '../../../src/service/webhooks/webhooks.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { openReceiver, openSocket } from './webhook-receiver.ts'
import { firstAttempt, once, sender } from './webhook-sender.ts'

/** Each lookup gives the next address, and records the host. */
const createLookup = (...answers: string[]): Lookup & { hosts: string[] } => {
  const hosts: string[] = []
  const lookup: Lookup = async (host) => {
    hosts.push(host)
    return [{ address: answers[hosts.length - 1] ?? '203.0.113.1', family: 4 }]
  }
  return Object.assign(lookup, { hosts })
}

const lookupBothLoopbacks: Lookup = async () => [
  { address: '::1', family: 6 },
  { address: '127.0.0.1', family: 4 },
]

describe('a response', () => {
  test('that never arrives causes a timeout', async () => {
    await using receiver = await openReceiver(() => {})
    const { deliver, clock, log } = sender([receiver.url])
    const delivering = deliver()
    await waitUntil(() => receiver.received.length === 1)
    clock.advance(15_000)
    await delivering
    expect(log()).toEqual(once('pending', { error: 'timed out after 15 s' }))
    expect(clock.sleepers.size).toBe(0)
  })

  test('with an endless body is cut off, and its status counts', async () => {
    let isCutOff = false
    await using receiver = await openReceiver((response) => {
      response.on('close', () => {
        isCutOff = true
      })
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
        response.once('drain', write)
      }
      write()
    })
    expect(await firstAttempt(receiver.url)).toEqual(once('delivered', { status: 200 }))
    await waitUntil(() => isCutOff)
  })

  test('with an incomplete body ends at the timeout, and its status counts', async () => {
    await using receiver = await openReceiver((response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half')
    })
    const { deliver, clock, log } = sender([receiver.url], { timeoutMs: 2_000 })
    const headReceived = new Promise<void>((resolve) => {
      subscribe('undici:request:headers', () => resolve())
    })
    const delivering = deliver()
    await headReceived
    clock.advance(2_000)
    await delivering
    expect(log()).toEqual(once('delivered', { status: 200 }))
  })

  const socketCases: [string, Parameters<typeof openSocket>[0], string][] = [
    ['that is a reset', (socket) => socket.once('data', () => socket.resetAndDestroy()), 'connection reset'],
    [
      'that is a close without a byte',
      (socket) => socket.once('data', () => socket.end()),
      'the connection closed before the response was complete',
    ],
    ['that is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), 'the response is not HTTP'],
    [
      'that changes the protocol',
      (socket) => socket.end('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      'the connection closed before the response was complete',
    ],
  ]
  test.each(socketCases)('%s is a failure', async (_name, talk, error) => {
    await using socket = await openSocket(talk)
    expect(await firstAttempt(`http://127.0.0.1:${socket.port}/`)).toEqual(once('pending', { error }))
  })

  test('from a closed port is a failure', async () => {
    const { port, ...socket } = await openSocket(() => {})
    await socket[Symbol.asyncDispose]()
    const refused = once('pending', { error: 'connection refused' })
    expect(await firstAttempt(`http://127.0.0.1:${port}/`)).toEqual(refused)
    expect(await firstAttempt(`http://hooks.test:${port}/`, { lookup: lookupBothLoopbacks })).toEqual(refused)
  })
})

describe('an address', () => {
  test('that is not allowed is not retried', async () => {
    const givenUp = once('given-up', { error: 'address not allowed: 10.0.0.1' })
    expect(await firstAttempt('http://10.0.0.1/')).toEqual(givenUp)
    expect(await firstAttempt('http://hooks.test/', { lookup: createLookup('10.0.0.1') })).toEqual(givenUp)
  })

  test('that is not found is retried', async () => {
    const lookup: Lookup = async () => Promise.reject(new Error('ENOTFOUND'))
    const missing = once('pending', { error: 'host not found' })
    expect(await firstAttempt('http://hooks.test/', { lookup })).toEqual(missing)
  })

  test('with an endless lookup causes a timeout', async () => {
    const { deliver, clock, log } = sender(['http://hooks.test/'], { lookup: () => new Promise(() => {}) })
    const delivering = deliver()
    clock.advance(15_000)
    await delivering
    expect(log()).toEqual(once('pending', { error: 'timed out after 15 s' }))
  })

  test('is looked up once for each attempt, and the connection uses it', async () => {
    await using receiver = await openReceiver(500, 200)
    const lookup = createLookup('127.0.0.1', '10.0.0.1')
    const { deliver, clock, log } = sender([`http://rebind.test:${receiver.port}/`], { lookup })
    await deliver()
    expect([lookup.hosts, receiver.received.map(({ headers }) => headers.host)]).toEqual([
      ['rebind.test'],
      [`rebind.test:${receiver.port}`],
    ])
    clock.advance(1_000)
    await deliver()
    const attempts = [
      { after: 0, status: 500 },
      { after: 1_000, error: 'address not allowed: 10.0.0.1' },
    ]
    expect([log(), receiver.received.length]).toEqual([[{ state: 'given-up', attempts }], 1])
  })

  test('that refuses the connection is followed by the next of the same name', async () => {
    await using receiver = await openReceiver(200)
    const url = `http://hooks.test:${receiver.port}/`
    const delivered = once('delivered', { status: 200 })
    expect(await firstAttempt(url, { lookup: lookupBothLoopbacks })).toEqual(delivered)
  })

  test('does not replace the name in TLS', async () => {
    let hello = ''
    await using socket = await openSocket((socket) => {
      socket.once('data', (bytes) => {
        hello = bytes.toString('latin1')
        socket.resetAndDestroy()
      })
    })
    const url = `https://hooks.test.:${socket.port}/`
    const reset = once('pending', { error: 'connection reset' })
    expect(await firstAttempt(url, { lookup: createLookup('127.0.0.1') })).toEqual(reset)
    expect(hello).toContain('\0\nhooks.test\0')
  })
})

const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'

describe('the headers of a delivery', () => {
  test('are those of whsec_ and the base64 of a plain secret, which receivers need', () => {
    const secret = 'größer als 1 €'
    const encoded = `whsec_${Buffer.from(secret).toString('base64')}`
    const delivery = { id, at: 0, body: '{}' }
    expect(createSignatureHeaders(delivery, secret)).toEqual(createSignatureHeaders(delivery, encoded))
  })
})

describe('a secret', () => {
  test.each([
    ['in the form of the standard', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['shorter than the standard recommends', 'whsec_c2VjcmV0'],
    ['in base64 without padding', 'whsec_c2VjcmV0cw'],
    ['in base64 with padding', 'whsec_c2VjcmV0cw=='],
    ['of any text', 's3cret with spaces'],
  ])('%s is valid', (_name, secret) => expect(findSecretProblem(secret)).toBeUndefined())

  test.each([
    ['', 'it is empty'],
    ['whsec_', 'whsec_ must be followed by base64'],
    ['whsec_a', 'whsec_ must be followed by base64'],
    ['whsec_c2Vj*mV0', 'whsec_ must be followed by base64'],
    ['whsec_c2VjcmV0=', 'whsec_ must be followed by base64'],
    ['whsec_c2VjcmV0\n', 'whsec_ must be followed by base64'],
    ['whsk_c2VjcmV0', 'ed25519 keys are not supported; use whsec_ followed by base64, or any text'],
    ['whpk_c2VjcmV0', 'ed25519 keys are not supported; use whsec_ followed by base64, or any text'],
  ])('%j is refused', (secret, problem) => {
    expect(findSecretProblem(secret)).toBe(problem)
  })
})
