// Reads and writes faults as text: operation, kind, value, and count or percentage.
import { operations } from '../../contract/endpoints.ts'
import type { Operation } from '../../contract/refusals.ts'
import { faultKinds } from './faults.ts'

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
