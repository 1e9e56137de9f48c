// Puts faults and latency in front of the operations. The list of faults may change while it runs.
import type { Clock } from '../../contract/clock.ts'
import { operationAt } from '../../contract/endpoints.ts'
import type { Handler } from '../socket/request-log.ts'
import { type Fault, faultText } from './fault-form.ts'
import { faultKinds } from './faults.ts'
import { type Latency, latencyMs, parseLatency } from './latency.ts'

export type FaultList = ReturnType<typeof createFaultList>

export const createFaultList = (initial: readonly Fault[]) => {
  let entries = initial.map((fault, index) => ({ id: index + 1, fault }))
  let lastId = entries.length
  return {
    list: () => entries.map(({ id, fault }) => ({ id, fault: faultText(fault) })),
    add: (fault: Fault): number => {
      lastId += 1
      entries.push({ id: lastId, fault })
      return lastId
    },
    /** Whether there was one; without an id, all of them. */
    remove: (id?: number): boolean => {
      const before = entries.length
      entries = id === undefined ? [] : entries.filter((entry) => entry.id !== id)
      return entries.length < before
    },
    /** The fault that comes next, spent by one. */
    take: (matches: (fault: Fault) => boolean, random: () => number): Fault | undefined => {
      const index = entries.findIndex(
        ({ fault }) => matches(fault) && (!('rate' in fault.often) || random() < fault.often.rate),
      )
      const entry = entries[index]
      if (entry === undefined) return undefined
      const { fault } = entry
      if ('count' in fault.often) {
        const count = fault.often.count - 1
        if (count > 0) entries[index] = { ...entry, fault: { ...fault, often: { count } } }
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

export const injecting = (handler: Handler, { faults, latency, random, clock }: Injection): Handler => {
  return async (request, facts) => {
    const operation = operationAt(request.method, request.path)
    if (operation === undefined) return handler(request, facts)
    const concerns = (fault: Fault) => fault.operation === 'any' || fault.operation === operation
    const delay = faults.take((fault) => concerns(fault) && fault.kind === 'latency', random)
    const fault = faults.take((entry) => concerns(entry) && entry.kind !== 'latency', random)
    const wait = delay?.value === undefined ? latency : parseLatency(delay.value)
    if (wait !== undefined) await clock.sleep(latencyMs(wait, random), request.signal)
    const named = [delay, fault].filter((entry) => entry !== undefined).map((entry) => entry.kind)
    if (named.length > 0) facts.fault = named.join(' ')
    if (fault === undefined) return handler(request, facts)
    const kind = faultKinds[fault.kind]
    return kind === undefined
      ? handler(request, facts)
      : kind.apply(() => handler(request, facts), fault.value)
  }
}
