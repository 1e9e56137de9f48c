// The text form of faults.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Fault, formatFault, parseFault } from '../../../src/service/faults.ts'

const once = { count: 1 }

test.each<[string, Fault['operation'], Fault['kind'], Fault['frequency'], string?]>([
  ['confirm:reset-after', 'confirm', 'reset-after', once],
  ['get:status=503x3', 'get', 'status', { count: 3 }, '503'],
  ['get:status=503', 'get', 'status', once, '503'],
  ['create:status=500,{"message":"a\nb"}x2', 'create', 'status', { count: 2 }, '500,{"message":"a\nb"}'],
  ['get:status=503,Retry-After=9,{"a":1}@5%', 'get', 'status', { rate: 0.05 }, '503,Retry-After=9,{"a":1}'],
  ['any:latency=2s@50%', 'any', 'latency', { rate: 0.5 }, '2s'],
  ['get:drip', 'get', 'drip', once],
  ['get:empty@0.5%', 'get', 'empty', { rate: 0.005 }],
  ['get:redirect=https://a.example/b', 'get', 'redirect', once, 'https://a.example/b'],
])('%j is a valid fault', (source, operation, kind, frequency, value) => {
  expect(parseFault(source)).toEqual({
    operation,
    kind,
    frequency,
    ...(value === undefined ? {} : { value }),
  })
})

const badStatus = 'invalid value for the fault status; write status=STATUS[,retry-after=SECONDS][,BODY]'
const badLatency = 'invalid value for the fault latency; write latency=DURATION or FROM..TO'
const badRedirect = 'invalid value for the fault redirect; write redirect=URL (default: http://127.0.0.1:9/)'
const form = 'a fault must have the form OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]'
test.each<[string, string | RegExp]>([
  ...[
    '',
    'reset-after',
    'confirm:',
    ':html',
    'get:html x2',
    'get:html@50',
    'get:html@-1%',
    'get:htmlx-1',
  ].map((source): [string, string] => [source, form]),
  ['delete:html', 'unknown operation delete; use create, confirm, get or any'],
  ['get:constructor', /^unknown fault constructor; /],
  ['get:flood', /^unknown fault flood; use one of status, latency, .*redirect$/],
  ['get:html=1', 'the fault html takes no value; write html'],
  ['get:status', 'the fault status needs a value; write status=STATUS[,retry-after=SECONDS][,BODY]'],
  ...['', '100', '600', '50'].map((status): [string, string] => [`get:status=${status}`, badStatus]),
  ...['', '=', '=-1', '=1.5', '=2s', '=3601', '=1e3', ': 2'].map((seconds): [string, string] => [
    `get:status=429,retry-after${seconds}`,
    'invalid value for the fault status: retry-after must be a whole number of seconds from 0 to 3600',
  ]),
  ...['200', '307', '399'].map((status): [string, string] => [
    `get:status=${status},retry-after=2`,
    'invalid value for the fault status: retry-after needs a status from 400 to 599',
  ]),
  ['get:latency', 'the fault latency needs a value; write latency=DURATION or FROM..TO'],
  ['get:latency=2s..1s', badLatency],
  ['get:drip=0', 'invalid value for the fault drip; write drip=DURATION (default: 100ms)'],
  [
    'get:content-type=a\r\nb: c/d',
    'invalid value for the fault content-type; write content-type=TYPE (default: text/plain)',
  ],
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
  const faults = ['get:html', 'any:latency=2s', 'create:status=500,{"a":"x"}', 'any:status=429,retry-after=2']
  const base = fc.constantFrom(...faults)
  fc.assert(
    fc.property(base, frequency, (fault, suffix) => {
      const parsed = parseFault(fault + suffix)
      expect(typeof parsed === 'string' ? parsed : formatFault(parsed)).toBe(fault + suffix)
    }),
  )
})
