// A fault as one types it.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Fault, faultText, parseFault } from '../../../src/service/faults/fault-form.ts'

const once = { count: 1 }

test.each<[string, Fault]>([
  ['confirm:reset-after', { operation: 'confirm', kind: 'reset-after', often: once }],
  ['any:html', { operation: 'any', kind: 'html', often: once }],
  ['get:status=503x3', { operation: 'get', kind: 'status', value: '503', often: { count: 3 } }],
  ['get:status=503', { operation: 'get', kind: 'status', value: '503', often: once }],
  ['create:status=500,', { operation: 'create', kind: 'status', value: '500,', often: once }],
  [
    'create:status=500,{"message":"a\nb"}x2',
    { operation: 'create', kind: 'status', value: '500,{"message":"a\nb"}', often: { count: 2 } },
  ],
  ['any:latency=2s@50%', { operation: 'any', kind: 'latency', value: '2s', often: { rate: 0.5 } }],
  ['any:latency=50ms..200ms', { operation: 'any', kind: 'latency', value: '50ms..200ms', often: once }],
  ['get:drip', { operation: 'get', kind: 'drip', often: once }],
  ['get:drip=1s', { operation: 'get', kind: 'drip', value: '1s', often: once }],
  ['get:empty@0%', { operation: 'get', kind: 'empty', often: { rate: 0 } }],
  ['get:empty@100%', { operation: 'get', kind: 'empty', often: { rate: 1 } }],
  ['get:empty@0.5%', { operation: 'get', kind: 'empty', often: { rate: 0.005 } }],
  [
    'get:redirect=https://a.example/b',
    { operation: 'get', kind: 'redirect', value: 'https://a.example/b', often: once },
  ],
  ['get:content-type=a/b+c', { operation: 'get', kind: 'content-type', value: 'a/b+c', often: once }],
])('%j is a fault', (source, fault) => {
  expect(parseFault(source)).toEqual(fault)
})

const form = 'a fault is written OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]'
test.each<[string, string | RegExp]>([
  ['', form],
  ['reset-after', form],
  ['confirm:', form],
  [':html', form],
  ['get:html x2', form],
  ['get:html@50', form],
  ['get:html@-1%', form],
  ['get:htmlx-1', form],
  ['delete:html', 'no operation delete; there are create, confirm, get and any'],
  ['get:flood', /^no fault flood; there are status, latency, .*redirect$/],
  ['get:constructor', /^no fault constructor; /],
  ['get:html=1', 'the fault html takes no value'],
  ['get:status', 'the fault status needs a value: status=STATUS[,BODY]'],
  ['get:status=', 'the fault status takes STATUS[,BODY]'],
  ['get:status=100', 'the fault status takes STATUS[,BODY]'],
  ['get:status=600', 'the fault status takes STATUS[,BODY]'],
  ['get:status=50', 'the fault status takes STATUS[,BODY]'],
  ['get:latency', 'the fault latency needs a value: latency=DURATION or FROM..TO'],
  ['get:latency=fast', 'the fault latency takes DURATION or FROM..TO'],
  ['get:latency=2s..1s', 'the fault latency takes DURATION or FROM..TO'],
  ['get:drip=0', 'the fault drip takes DURATION, 100ms by default'],
  ['get:content-type=a\r\nb: c/d', 'the fault content-type takes TYPE, text/plain by default'],
  ['get:redirect=ftp://a', 'the fault redirect takes URL, http://127.0.0.1:9/ by default'],
  ['get:redirect=http://', 'the fault redirect takes URL, http://127.0.0.1:9/ by default'],
  ['get:htmlx0', 'a fault happens at least once'],
  ['get:html@101%', 'a fault happens at most 100% of the time'],
])('%j is none', (source, message) => {
  expect(parseFault(source)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
})

test('a fault is written as it was read', () => {
  const often = fc.oneof(
    fc.integer({ min: 1, max: 1_000 }).map((count) => `x${count}`),
    fc.integer({ min: 0, max: 1_000 }).map((tenths) => `@${tenths / 10}%`),
  )
  const what = fc.constantFrom('get:html', 'any:latency=2s', 'create:status=500,{"a":"x"}', 'confirm:drip')
  fc.assert(
    fc.property(what, often, (fault, times) => {
      const read = parseFault(fault + times)
      expect(typeof read === 'string' ? read : faultText(read)).toBe(fault + times)
    }),
  )
})
