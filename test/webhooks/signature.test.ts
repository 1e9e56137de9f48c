// Signatures, compared with the package that most receivers and senders use. Svix signs the same way, with its own
// header names.
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { createSignatureHeaders } from '../../src/service/webhooks.ts'
import { createSignatureCheck } from '../../src/webhooks/deliveries.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body = '{"uid":"ord_1","state":"successful","name":"Grüße €"}'
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const now = Math.floor(Date.now() / 1000) * 1000

type Headers = Readonly<Record<string, string>>

const check = (headers: Headers, { given = secret, at = now, text = body } = {}): string | undefined =>
  createSignatureCheck(given)({ headers, body: Buffer.from(text), at })

const webhook = new Webhook(secret)

describe.each(['webhook', 'svix'])('the package with headers named %s', (prefix) => {
  const sign = (at: number): Headers => ({
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(at / 1000),
    [`${prefix}-signature`]: webhook.sign(id, new Date(at), body),
  })

  test('signs deliveries that are accepted', () => {
    expect(check(sign(now))).toBeUndefined()
    expect(check(sign(now - 299_000))).toBeUndefined()
    expect(check(sign(now + 299_000))).toBeUndefined()
  })

  test('signs deliveries that are refused if they are old, changed or signed with a different secret', () => {
    expect(check(sign(now - 301_000))).toBe('signed more than 5 min ago')
    expect(check(sign(now + 301_000))).toBe('signed more than 5 min in the future')
    expect(check(sign(now), { text: `${body} ` })).toBe('wrong signature')
    expect(check(sign(now), { given: 'whsec_AAAA' })).toBe('wrong signature')
    expect(check({ ...sign(now), [`${prefix}-id`]: 'msg_2' })).toBe('wrong signature')
    expect(check({ ...sign(now), [`${prefix}-timestamp`]: String(now / 1000 + 1) })).toBe('wrong signature')
  })
})

test('the package verifies what serve-mock signs', () => {
  const headers = createSignatureHeaders({ id, at: Date.now(), body }, secret)
  expect(webhook.verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => webhook.verify(`${body} `, headers)).toThrow()
})

describe('a delivery', () => {
  const signed = createSignatureHeaders({ id, at: now, body }, secret)

  test('is accepted with a plain secret', () => {
    const plain = 'a plain secret, grün'
    expect(check(createSignatureHeaders({ id, at: now, body }, plain), { given: plain })).toBeUndefined()
  })

  test('is accepted if one of several signatures is right', () => {
    const both = `v1a,abc v1,${'A'.repeat(43)}= ${signed['webhook-signature']}`
    expect(check({ ...signed, 'webhook-signature': both })).toBeUndefined()
  })

  test('is accepted with the headers of both names', () => {
    expect(check({ ...signed, 'svix-id': 'other' })).toBeUndefined()
  })

  test.each(Object.keys(signed))('is refused without %s', (name) => {
    const { [name]: _, ...others } = signed
    expect(check(others)).toBe('not signed')
  })

  const right = signed['webhook-signature'] ?? ''
  test.each(['v1,', right.replace('v1,', 'v2,'), right.replace('v1,', ''), `${right}AAAA`, 'v1,???'])(
    'is refused with the signature %s',
    (signature) => expect(check({ ...signed, 'webhook-signature': signature })).toBe('wrong signature'),
  )

  test('is refused if a header is repeated', () => {
    expect(check({ ...signed, 'webhook-id': `${id}, msg_2` })).toBe('wrong signature')
  })

  test.each(['', 'soon', '-1', '1e9', ' 1'])('is refused with the timestamp %j', (timestamp) => {
    expect(check({ ...signed, 'webhook-timestamp': timestamp })).toBeTypeOf('string')
  })
})
