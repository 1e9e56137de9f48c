// Applies latency and faults to requests. The list of faults can change while the service runs.
import type { Clock } from '../../contract/clock.ts'
import { findOperation } from '../../contract/endpoints.ts'
import type { Handler } from '../request-log.ts'
import { type Fault, formatFault } from './fault-form.ts'
import { faultKinds } from './faults.ts'
import { drawLatency, type Latency, parseLatency } from './latency.ts'

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

export type Injection = {
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
