// Reads and writes faults as text and applies them to requests. Their list can change while the service runs.

import type { Operation } from '../../contract/refusals.ts'
import type { Clock } from '../../contract/time.ts'
import { findOperation, operations } from '../../contract/transport.ts'
import type { Handler } from '../exchange-log.ts'
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
    if (kinds.length > 0) facts.fault = kinds.join(' ')
    const kind = fault && faultKinds[fault.kind]
    const handle = () => handler(request, facts)
    return kind === undefined ? handle() : kind.apply(handle, fault?.value ?? kind.defaultValue ?? '', clock)
  }
