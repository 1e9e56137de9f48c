// Webhook signatures and secrets.
import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { findSecretProblem } from '../../../src/contract/webhook-signature.ts'
import { createSignatureHeaders } from '../../../src/service/webhooks/attempts.ts'

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
