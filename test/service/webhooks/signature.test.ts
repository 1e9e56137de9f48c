// Webhook signatures and secrets.
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSecretProblem } from '../../../src/contract/http/webhook-signature.ts'
import { createSignatureHeaders } from '../../../src/service/webhooks/signature.ts'

/** Uses Web Crypto, unlike the code under test. */
const sign = async (key: Uint8Array, content: string): Promise<string> => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), algorithm, false, ['sign'])
  const signed = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(content))
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}`
}

const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'

describe('the headers of a delivery', () => {
  test("match the standard's own test vector", () => {
    const delivery = { id, at: 1614265330_000, body: '{"test": 2432232314}' }
    expect(createSignatureHeaders(delivery, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test('are signed with the bytes after whsec_, for all bytes and bodies', async () => {
    const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 })
    await fc.assert(
      fc.asyncProperty(bytes, fc.string({ unit: 'binary' }), async (key, text) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`
        const body = text.toWellFormed()
        const headers = createSignatureHeaders({ id, at: 1_700_000_000_999, body }, secret)
        expect(headers['webhook-signature']).toBe(await sign(key, `${id}.1700000000.${body}`))
      }),
      { numRuns: 25 },
    )
  })

  test('are signed with the UTF-8 bytes of a plain secret', async () => {
    const headers = createSignatureHeaders({ id, at: 0, body: '{}' }, 'größer als 1 €')
    const key = new TextEncoder().encode('größer als 1 €')
    expect(headers['webhook-signature']).toBe(await sign(key, `${id}.0.{}`))
  })

  test('are those of whsec_ and the base64 of a plain secret, which receivers need', () => {
    const secret = 'größer als 1 €'
    const encoded = `whsec_${Buffer.from(secret).toString('base64')}`
    const delivery = { id, at: 0, body: '{}' }
    expect(createSignatureHeaders(delivery, secret)).toEqual(createSignatureHeaders(delivery, encoded))
  })
})

describe('a secret', () => {
  const expectValid = (secret: string) => expect(findSecretProblem(secret)).toBeUndefined()

  test('can have the form of the standard', () => expectValid('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'))
  test('can be shorter than the standard recommends', () => expectValid('whsec_c2VjcmV0'))
  test('can be base64 without padding', () => expectValid('whsec_c2VjcmV0cw'))
  test('can be base64 with padding', () => expectValid('whsec_c2VjcmV0cw=='))
  test('can be any text', () => expectValid('s3cret with spaces'))

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
