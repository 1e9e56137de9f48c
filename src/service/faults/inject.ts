// Reads and writes faults as text, and applies them to requests. Their list can change while the service runs.

import type { Clock } from '../../contract/clock.ts'
import { findOperation, operations } from '../../contract/endpoints.ts'
import type { Operation } from '../../contract/refusals.ts'
import type { Handler } from '../request-log.ts'
import { drawLatency, faultKinds, type Latency, parseLatency } from './faults.ts'

export type Fault = {
  readonly operation: Operation | 'any'
  readonly kind: string
  readonly value?: string
  /** The number of requests left, or the probability for each request. */
  readonly frequency: { readonly count: number } | { readonly rate: number }
}

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
  if (value === undefined && known.needsValue)
    return `the fault ${kind} needs a value; write ${kind}=${known.value}`
  if (value !== undefined && known.isValid?.(value) === false)
    return `invalid value for the fault ${kind}; write ${kind}=${known.value}`
  const problem = value === undefined ? undefined : known.findProblem?.(value)
  if (problem !== undefined) return `invalid value for the fault ${kind}: ${problem}`
  if (count !== undefined && Number(count) === 0) return 'the count of a fault must be 1 or more'
  if (rate !== undefined && Number(rate) > 100) return 'the percentage of a fault must be 100 or less'
  return {
    operation: operation as Operation | 'any',
    kind,
    value,
    frequency: rate === undefined ? { count: Number(count ?? 1) } : { rate: Number(rate) / 100 },
  }
}

// Rounded, because 0.07 * 100 gives 7.000000000000001.
const toPercent = (rate: number): number => Number((rate * 100).toPrecision(12))

export const formatFault = ({ operation, kind, value, frequency }: Fault): string => {
  const suffix = 'rate' in frequency ? `@${toPercent(frequency.rate)}%` : `x${frequency.count}`
  return `${operation}:${kind}${value === undefined ? '' : `=${value}`}${suffix}`
}

export type FaultList = ReturnType<typeof createFaultList>

export const createFaultList = (initial: readonly Fault[]) => {
  let entries = initial.map((fault, index) => ({ id: index + 1, fault }))
  let lastId = entries.length
  return {
    list: () => entries.map(({ id, fault }) => ({ id, fault: formatFault(fault) })),
    add: (fault: Fault): number => {
      lastId += 1
      entries.push({ id: lastId, fault })
      return lastId
    },
    /** Removes all faults if `id` is missing. Returns whether a fault was removed. */
    remove: (id?: number): boolean => {
      const before = entries.length
      entries = id === undefined ? [] : entries.filter((entry) => entry.id !== id)
      return entries.length < before
    },
    /** Returns the first matching fault that applies, and counts this use. */
    take: (matches: (fault: Fault) => boolean, random: () => number): Fault | undefined => {
      const index = entries.findIndex(
        ({ fault }) => matches(fault) && (!('rate' in fault.frequency) || random() < fault.frequency.rate),
      )
      const entry = entries[index]
      if (entry === undefined) return undefined
      const { fault } = entry
      if ('count' in fault.frequency) {
        const count = fault.frequency.count - 1
        if (count > 0) entries[index] = { ...entry, fault: { ...fault, frequency: { count } } }
        else entries.splice(index, 1)
      }
      return fault
    },
  }
}

type Injection = {
  readonly faults: FaultList
  readonly latency: Latency | undefined
  readonly random: () => number
  readonly clock: Clock
}

export const injectFaults = (handler: Handler, { faults, latency, random, clock }: Injection): Handler => {
  return async (request, facts) => {
    const operation = findOperation(request.method, request.path)
    if (operation === undefined) return handler(request, facts)
    const matches = (fault: Fault) => fault.operation === 'any' || fault.operation === operation
    const delay = faults.take((entry) => matches(entry) && entry.kind === 'latency', random)
    const fault = faults.take((entry) => matches(entry) && entry.kind !== 'latency', random)
    const wait = delay?.value === undefined ? latency : parseLatency(delay.value)
    if (wait !== undefined) await clock.sleep(drawLatency(wait, random), request.signal)
    const kinds = [delay, fault].flatMap((entry) => entry?.kind ?? [])
    if (kinds.length > 0) facts.fault = kinds.join(' ')
    const kind = fault && faultKinds[fault.kind]
    return kind === undefined
      ? handler(request, facts)
      : kind.apply(() => handler(request, facts), fault?.value)
  }
}
