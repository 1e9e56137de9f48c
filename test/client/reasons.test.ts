// src/client/reasons.ts
import { expect, test } from 'vitest'
import { describeAbort, describeError, notThisMachine } from '../../src/client/reasons.ts'

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
