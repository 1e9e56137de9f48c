// The kinds of faults: how an answer, or the way to it, goes wrong. Pure but for the work it is given.
import { parseDuration } from '../../contract/duration.ts'
import { Disconnected, type HttpResponse } from '../../contract/transport.ts'
import { parseLatency } from './latency.ts'

type Work = () => Promise<HttpResponse>

type Kind = {
  readonly summary: string
  /** What may stand behind `=`; undefined: nothing may. */
  readonly value?: string
  readonly needsValue?: true
  readonly isValid?: (value: string) => boolean
  readonly apply: (work: Work, value?: string) => Promise<HttpResponse>
}

const text = (status: number, type: string, body: string | Uint8Array, more = {}): HttpResponse => ({
  status,
  headers: { 'content-type': type, ...more },
  body,
})
const json = 'application/json'
const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body

const statusAndBody = /^(?<status>[1-5]\d\d)(?:,(?<body>.*))?$/s
const page =
  '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>'

/** Where a kind does the work, the order is created or confirmed although its answer is spoilt. */
export const faultKinds: Readonly<Record<string, Kind>> = {
  status: {
    summary: 'answers with this status, and this body if there is one, instead of doing the work',
    value: 'STATUS[,BODY]',
    needsValue: true,
    // A final answer: an informational one would leave the client waiting.
    isValid: (value) => statusAndBody.test(value) && Number(value.slice(0, 3)) >= 200,
    apply: async (_work, value = '') => {
      const { status, body } = statusAndBody.exec(value)?.groups ?? {}
      return text(Number(status), json, body ?? JSON.stringify({ message: `Fault ${status}` }))
    },
  },
  latency: {
    summary: 'waits before doing the work',
    value: 'DURATION or FROM..TO',
    needsValue: true,
    isValid: (value) => parseLatency(value) !== undefined,
    // The wait itself stands before all faults: it spoils nothing, so that another may follow it.
    apply: (work) => work(),
  },
  'reset-before': {
    summary: 'resets the connection before the work is done',
    apply: async () => {
      throw new Disconnected('reset')
    },
  },
  'reset-after': {
    summary: 'does the work, then resets the connection: the answer is lost',
    apply: async (work) => {
      await work()
      throw new Disconnected('reset')
    },
  },
  empty: {
    summary: 'does the work, then closes the connection without a byte',
    apply: async (work) => {
      await work()
      throw new Disconnected('close')
    },
  },
  truncate: {
    summary: 'does the work, then announces the whole answer and sends half of it',
    apply: async (work) => {
      const response = await work()
      const body = bytesOf(response.body)
      return {
        ...response,
        headers: { ...response.headers, 'content-length': String(body.length) },
        body: body.subarray(0, Math.floor(body.length / 2)),
      }
    },
  },
  'bad-json': {
    summary: 'does the work, then sends half of the answer as if it were whole',
    apply: async (work) => {
      const response = await work()
      const body = bytesOf(response.body)
      return { ...response, body: body.subarray(0, Math.floor(body.length / 2)) }
    },
  },
  garbage: {
    summary: 'does the work, then sends bytes that mean nothing',
    apply: async (work) => ({
      ...(await work()),
      body: Uint8Array.from({ length: 256 }, (_, at) => 255 - at),
    }),
  },
  html: {
    summary: "answers with a proxy's HTML page instead of doing the work",
    apply: async () => text(502, 'text/html; charset=utf-8', page),
  },
  drip: {
    summary: 'does the work, then sends a byte of the answer each time this long has passed',
    value: 'DURATION, 100ms by default',
    isValid: (value) => (parseDuration(value) ?? 0) > 0,
    apply: async (work, value = '100ms') => ({ ...(await work()), msPerByte: parseDuration(value) ?? 100 }),
  },
  'content-type': {
    summary: 'does the work, then calls the answer something that it is not',
    value: 'TYPE, text/plain by default',
    isValid: (value) => /^[\w.+-]+\/[\w.+-]+$/.test(value),
    apply: async (work, value = 'text/plain') => {
      const response = await work()
      return { ...response, headers: { ...response.headers, 'content-type': value } }
    },
  },
  redirect: {
    summary: 'redirects to another address instead of doing the work',
    value: 'URL, http://127.0.0.1:9/ by default',
    isValid: (value) => /^https?:\/\//.test(value) && URL.canParse(value),
    apply: async (_work, value = 'http://127.0.0.1:9/') =>
      text(307, json, JSON.stringify({ message: 'Temporary Redirect' }), { location: new URL(value).href }),
  },
}
