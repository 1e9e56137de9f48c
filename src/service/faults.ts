// The kinds of faults, and how each changes the response to a request. Below them: faults as text, their list, which can
// change while the service runs, and how the service applies them.

import { tryReadJson } from '../contract/json.ts'
import type { Operation } from '../contract/refusals.ts'
import type { Clock } from '../contract/time.ts'
import { durationForm, parseDuration } from '../contract/time.ts'
import {
  DisconnectedError,
  findOperation,
  type HttpRequest,
  type HttpResponse,
  operations,
  type ServedResponse,
  stripQuery,
} from '../contract/transport.ts'
import type { Handler } from './exchange-log.ts'

type Kind = {
  readonly summary: string
  /** The form of the value after `=`. Missing if the kind takes no value. */
  readonly value?: string
  /** Missing if the kind needs a value. */
  readonly defaultValue?: string
  /** Returns false, or the part of the value that is not allowed. */
  readonly check?: (value: string) => boolean | string
  /** `handle` creates, confirms or retrieves the order. */
  readonly apply: (
    handle: () => Promise<HttpResponse>,
    value: string,
    clock: Pick<Clock, 'sleep'>,
  ) => Promise<ServedResponse>
}

const respond = (status: number, type: string, body: string, more = {}): HttpResponse => ({
  status,
  headers: { 'content-type': type, ...more },
  body,
})

const disconnect = (how: 'reset' | 'close'): never => {
  throw new DisconnectedError(how)
}

/** Handles the request and then changes its response. */
const change =
  (
    edit: (
      response: HttpResponse,
      ...given: [value: string, clock: Pick<Clock, 'sleep'>]
    ) => Partial<ServedResponse>,
  ): Kind['apply'] =>
  async (handle, ...given) => {
    const response = await handle()
    return { ...response, ...edit(response, ...given) }
  }

const announceLength = ({ headers, body }: HttpResponse): HttpResponse['headers'] => ({
  ...headers,
  'content-length': String(Buffer.byteLength(body)),
})

const cutInHalf = (body: string | Uint8Array): Uint8Array => {
  const bytes = Buffer.from(body)
  return bytes.subarray(0, bytes.length / 2)
}

const json = 'application/json'
// After a 1xx status the client would wait for the final response.
const statusResponse = /^(?<status>[2-5]\d\d)(?:,retry-after(?<seconds>[^,]*))?(?:,(?<body>.*))?$/is
const maxRetryAfter = 3_600

const checkStatus = (text: string): boolean | string => {
  const groups = statusResponse.exec(text)?.groups
  if (groups?.seconds === undefined) return groups !== undefined
  const { status, seconds } = groups
  if (!/^=\d+$/.test(seconds) || Number(seconds.slice(1)) > maxRetryAfter)
    return `retry-after must be a whole number of seconds from 0 to ${maxRetryAfter}`
  return Number(status) >= 400 || 'retry-after needs a status from 400 to 599'
}

const htmlPage =
  '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>'

/** If a kind handles the request, the order is created or confirmed, even if the client gets no valid response. */
export const faultKinds: Readonly<Record<string, Kind>> = {
  status: {
    summary: 'respond with this status, Retry-After and body; do not handle the request',
    value: 'STATUS[,retry-after=SECONDS][,BODY]',
    check: checkStatus,
    apply: async (_handle, value) => {
      const { status, seconds, body } = statusResponse.exec(value)?.groups ?? {}
      const more = seconds === undefined ? {} : { 'retry-after': seconds.slice(1) }
      return respond(Number(status), json, body ?? JSON.stringify({ message: `Fault ${status}` }), more)
    },
  },
  latency: {
    summary: 'wait, then handle the request',
    value: 'DURATION or FROM..TO',
    check: (value) => parseLatency(value) !== undefined,
    // `injectFaults` waits, so that a second fault can apply to the same request.
    apply: (handle) => handle(),
  },
  'reset-before': {
    summary: 'reset the connection; do not handle the request',
    apply: async () => disconnect('reset'),
  },
  'reset-after': {
    summary: 'handle the request, then reset the connection: the response is lost',
    apply: change(() => disconnect('reset')),
  },
  empty: {
    summary: 'handle the request, then close the connection without a response',
    apply: change(() => disconnect('close')),
  },
  truncate: {
    summary: 'handle the request, then send half of the announced length',
    apply: change((response) => ({ headers: announceLength(response), body: cutInHalf(response.body) })),
  },
  'bad-json': {
    summary: 'handle the request, then send half of the response as if it were complete',
    apply: change(({ body }) => ({ body: cutInHalf(body) })),
  },
  garbage: {
    summary: 'handle the request, then send meaningless bytes',
    apply: change(() => ({ body: Uint8Array.from({ length: 256 }, (_, index) => 255 - index) })),
  },
  html: {
    summary: "respond with a proxy's HTML page; do not handle the request",
    apply: async () => respond(502, 'text/html; charset=utf-8', htmlPage),
  },
  drip: {
    summary: 'handle the request, then send one byte of the response per interval',
    value: 'DURATION (default: 100ms)',
    defaultValue: '100ms',
    check: (value) => (parseDuration(value) ?? 0) > 0,
    apply: change((response, value, clock) => ({
      headers: announceLength(response),
      parts: async function* (signal) {
        for (const byte of Buffer.from(response.body)) {
          await clock.sleep(parseDuration(value) ?? 0, signal)
          yield Uint8Array.of(byte)
        }
      },
    })),
  },
  'content-type': {
    summary: 'handle the request, then send the response with this content type',
    value: 'TYPE (default: text/plain)',
    defaultValue: 'text/plain',
    check: (value) => /^[\w.+-]+\/[\w.+-]+$/.test(value),
    apply: change(({ headers }, value) => ({ headers: { ...headers, 'content-type': value } })),
  },
  redirect: {
    summary: 'redirect to another URL; do not handle the request',
    value: 'URL (default: http://127.0.0.1:9/)',
    defaultValue: 'http://127.0.0.1:9/',
    check: (value) => /^https?:\/\//.test(value) && URL.canParse(value),
    apply: async (_handle, value) => {
      const body = JSON.stringify({ message: 'Temporary Redirect' })
      return respond(307, json, body, { location: new URL(value).href })
    },
  },
}

export type Latency = { readonly from: number; readonly to: number }

export const latencyForm = `${durationForm}, or a range such as 50ms..200ms`

export const parseLatency = (source: string): Latency | undefined => {
  const [first = '', second = first, ...rest] = source.split('..')
  const from = parseDuration(first)
  const to = parseDuration(second)
  if (rest.length > 0 || from === undefined || to === undefined || from > to) return undefined
  return { from, to }
}

export const drawLatency = ({ from, to }: Latency, random: () => number): number =>
  Math.round(from + (to - from) * random())

export type Fault = {
  readonly operation: Operation | 'any'
  readonly kind: string
  readonly value?: string
  /** The number of requests left, or the probability for each request. */
  readonly frequency: { readonly count: number } | { readonly rate: number }
}

/** The beginning of each fault, such as `confirm:status=`. */
export const listFaultForms = () =>
  ['any', ...operations].flatMap((operation) =>
    Object.entries(faultKinds).map(([kind, { summary, value, defaultValue }]) => {
      const needsValue = value !== undefined && defaultValue === undefined
      return { fault: `${operation}:${kind}${needsValue ? '=' : ''}`, summary, value }
    }),
  )

const faultForm = 'OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]'

/** Reads `confirm:reset-after`, `get:status=503x3` or `any:latency=2s@50%`. Returns a string if the text is invalid. */
export const parseFault = (source: string): Fault | string => {
  const pattern =
    /^(?<operation>[a-z]+):(?<kind>[a-z-]+)(?:=(?<value>.*?))?(?:x(?<count>\d+)|@(?<rate>\d+(?:\.\d+)?)%)?$/s
  const groups = pattern.exec(source)?.groups
  if (groups === undefined) return `a fault must have the form ${faultForm}`
  const { operation = '', kind = '', value, count, rate } = groups
  const known = Object.hasOwn(faultKinds, kind) ? faultKinds[kind] : undefined
  if (operation !== 'any' && !operations.includes(operation as Operation)) {
    return `unknown operation ${operation}; use ${operations.join(', ')} or any`
  }
  if (known === undefined) return `unknown fault ${kind}; use one of ${Object.keys(faultKinds).join(', ')}`
  if (value !== undefined && known.value === undefined)
    return `the fault ${kind} takes no value; write ${kind}`
  const valid = `${kind}=${known.value}`
  if (value === undefined && known.value !== undefined && known.defaultValue === undefined)
    return `the fault ${kind} needs a value; write ${valid}`
  const result = value === undefined || (known.check?.(value) ?? true)
  if (result === false) return `invalid value for the fault ${kind}; write ${valid}`
  if (result !== true) return `invalid value for the fault ${kind}: ${result}`
  if (count !== undefined && Number(count) === 0) return 'the count of a fault must be 1 or more'
  if (rate !== undefined && Number(rate) > 100) return 'the percentage of a fault must be 100 or less'
  return {
    operation: operation as Operation | 'any',
    kind,
    value,
    frequency: rate === undefined ? { count: Number(count ?? 1) } : { rate: Number(rate) / 100 },
  }
}

export const formatFault = ({ operation, kind, value, frequency }: Fault): string => {
  // Rounded, because 0.07 * 100 gives 7.000000000000001.
  const suffix =
    'rate' in frequency ? `@${Number((frequency.rate * 100).toPrecision(12))}%` : `x${frequency.count}`
  return `${operation}:${kind}${value === undefined ? '' : `=${value}`}${suffix}`
}

export type FaultList = ReturnType<typeof createFaultList>

export const createFaultList = (initial: readonly Fault[]) => {
  const faults = new Map(initial.map((fault, index) => [index + 1, fault]))
  let lastId = faults.size
  return {
    list: () => [...faults].map(([id, fault]) => ({ id, fault: formatFault(fault) })),
    add: (fault: Fault): number => {
      lastId += 1
      faults.set(lastId, fault)
      return lastId
    },
    /** Returns false if no fault has this id. */
    remove: (id: number): boolean => faults.delete(id),
    clear: (): void => faults.clear(),
    /** Returns the first fault that matches and applies. Counts this use. */
    take: (matches: (fault: Fault) => boolean, random: () => number): Fault | undefined => {
      for (const [id, fault] of faults) {
        const { frequency } = fault
        if (!matches(fault) || ('rate' in frequency && random() >= frequency.rate)) continue
        if ('rate' in frequency) return fault
        if (frequency.count === 1) faults.delete(id)
        else faults.set(id, { ...fault, frequency: { count: frequency.count - 1 } })
        return fault
      }
      return undefined
    },
  }
}

type Injection = {
  readonly faults: FaultList
  readonly latency: Latency | undefined
  readonly random: () => number
  readonly clock: Clock
}

const readOrderId = ({ path, body = '' }: HttpRequest): string | undefined => {
  const orderId =
    new URLSearchParams(path.slice(stripQuery(path).length)).get('orderId') ??
    new Map(Object.entries(tryReadJson(body).document ?? {})).get('orderId')
  return typeof orderId === 'string' ? orderId : undefined
}

export const injectFaults =
  (handler: Handler, { faults, latency, random, clock }: Injection): Handler =>
  async (request, facts) => {
    const operation = findOperation(request.method, request.path)
    if (operation === undefined) return handler(request, facts)
    const isFor = (fault: Fault) => fault.operation === 'any' || fault.operation === operation
    const delay = faults.take((each) => isFor(each) && each.kind === 'latency', random)
    const fault = faults.take((each) => isFor(each) && each.kind !== 'latency', random)
    const wait = delay?.value === undefined ? latency : parseLatency(delay.value)
    if (wait !== undefined) await clock.sleep(drawLatency(wait, random), request.signal)
    const kinds = [delay, fault].flatMap((entry) => entry?.kind ?? [])
    if (kinds.length > 0) {
      facts.fault = kinds.join(' ')
      // Most faults keep the request from the service, which would log its order.
      const orderId = readOrderId(request)
      if (orderId !== undefined) facts.orderId = orderId
    }
    const kind = fault && faultKinds[fault.kind]
    const handle = () => handler(request, facts)
    return kind === undefined ? handle() : kind.apply(handle, fault?.value ?? kind.defaultValue ?? '', clock)
  }
