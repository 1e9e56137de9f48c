// The text form of faults.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Fault, formatFault, parseFault } from '../../../src/service/faults/inject.ts'

const once = { count: 1 }

test.each<[string, Fault]>([
  ['confirm:reset-after', { operation: 'confirm', kind: 'reset-after', frequency: once }],
  ['any:html', { operation: 'any', kind: 'html', frequency: once }],
  ['get:status=503x3', { operation: 'get', kind: 'status', value: '503', frequency: { count: 3 } }],
  ['get:status=503', { operation: 'get', kind: 'status', value: '503', frequency: once }],
  ['create:status=500,', { operation: 'create', kind: 'status', value: '500,', frequency: once }],
  [
    'create:status=500,{"message":"a\nb"}x2',
    { operation: 'create', kind: 'status', value: '500,{"message":"a\nb"}', frequency: { count: 2 } },
  ],
  [
    'any:status=429,retry-after=2x3',
    { operation: 'any', kind: 'status', value: '429,retry-after=2', frequency: { count: 3 } },
  ],
  [
    'get:status=503,Retry-After=3600,{"a":1}@5%',
    { operation: 'get', kind: 'status', value: '503,Retry-After=3600,{"a":1}', frequency: { rate: 0.05 } },
  ],
  ['any:latency=2s@50%', { operation: 'any', kind: 'latency', value: '2s', frequency: { rate: 0.5 } }],
  ['any:latency=50ms..200ms', { operation: 'any', kind: 'latency', value: '50ms..200ms', frequency: once }],
  ['get:drip', { operation: 'get', kind: 'drip', frequency: once }],
  ['get:drip=1s', { operation: 'get', kind: 'drip', value: '1s', frequency: once }],
  ['get:empty@0%', { operation: 'get', kind: 'empty', frequency: { rate: 0 } }],
  ['get:empty@100%', { operation: 'get', kind: 'empty', frequency: { rate: 1 } }],
  ['get:empty@0.5%', { operation: 'get', kind: 'empty', frequency: { rate: 0.005 } }],
  [
    'get:redirect=https://a.example/b',
    { operation: 'get', kind: 'redirect', value: 'https://a.example/b', frequency: once },
  ],
  ['get:content-type=a/b+c', { operation: 'get', kind: 'content-type', value: 'a/b+c', frequency: once }],
])('%j is a valid fault', (source, fault) => {
  expect(parseFault(source)).toEqual(fault)
})

const badStatus = 'invalid value for the fault status; write status=STATUS[,retry-after=SECONDS][,BODY]'
const badLatency = 'invalid value for the fault latency; write latency=DURATION or FROM..TO'
const badRedirect = 'invalid value for the fault redirect; write redirect=URL (default: http://127.0.0.1:9/)'
const form = 'a fault must have the form OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]'
test.each<[string, string | RegExp]>([
  ['', form],
  ['reset-after', form],
  ['confirm:', form],
  [':html', form],
  ['get:html x2', form],
  ['get:html@50', form],
  ['get:html@-1%', form],
  ['get:htmlx-1', form],
  ['delete:html', 'unknown operation delete; use create, confirm, get or any'],
  ['get:flood', /^unknown fault flood; use one of status, latency, .*redirect$/],
  ['get:constructor', /^unknown fault constructor; /],
  ['get:html=1', 'the fault html takes no value; write html'],
  ['get:status', 'the fault status needs a value; write status=STATUS[,retry-after=SECONDS][,BODY]'],
  ['get:status=', badStatus],
  ['get:status=100', badStatus],
  ['get:status=600', badStatus],
  ['get:status=50', badStatus],
  ...['', '=', '=-1', '=1.5', '=2s', '=3601', '=1e3', ': 2'].map((seconds): [string, string] => [
    `get:status=429,retry-after${seconds}`,
    'invalid value for the fault status: retry-after must be a whole number of seconds from 0 to 3600',
  ]),
  ...['200', '307', '399'].map((status): [string, string] => [
    `get:status=${status},retry-after=2`,
    'invalid value for the fault status: retry-after needs a status from 400 to 599',
  ]),
  ['get:latency', 'the fault latency needs a value; write latency=DURATION or FROM..TO'],
  ['get:latency=fast', badLatency],
  ['get:latency=2s..1s', badLatency],
  ['get:drip=0', 'invalid value for the fault drip; write drip=DURATION (default: 100ms)'],
  [
    'get:content-type=a\r\nb: c/d',
    'invalid value for the fault content-type; write content-type=TYPE (default: text/plain)',
  ],
  ['get:redirect=ftp://a', badRedirect],
  ['get:redirect=http://', badRedirect],
  ['get:htmlx0', 'the count of a fault must be 1 or more'],
  ['get:html@101%', 'the percentage of a fault must be 100 or less'],
])('%j is not a valid fault', (source, message) => {
  expect(parseFault(source)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
})

test('writing a parsed fault gives the same text', () => {
  const frequency = fc.oneof(
    fc.integer({ min: 1, max: 1_000 }).map((count) => `x${count}`),
    fc.integer({ min: 0, max: 1_000 }).map((tenths) => `@${tenths / 10}%`),
  )
  const base = fc.constantFrom(
    'get:html',
    'any:latency=2s',
    'create:status=500,{"a":"x"}',
    'confirm:drip',
    'any:status=429,retry-after=2',
  )
  fc.assert(
    fc.property(base, frequency, (fault, suffix) => {
      const parsed = parseFault(fault + suffix)
      expect(typeof parsed === 'string' ? parsed : formatFault(parsed)).toBe(fault + suffix)
    }),
  )
})
