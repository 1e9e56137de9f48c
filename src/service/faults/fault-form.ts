// A fault as one types it: on which operation, of which kind, how often. Pure.
import { operations } from '../../contract/endpoints.ts'
import type { Operation } from '../../contract/refusals.ts'
import { faultKinds } from './faults.ts'

export type Fault = {
  readonly operation: Operation | 'any'
  readonly kind: string
  readonly value?: string
  /** How often: for so many requests more, or each time with this chance. */
  readonly often: { readonly count: number } | { readonly rate: number }
}

const faultForm = 'OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]'

/** Reads `confirm:reset-after`, `get:status=503x3`, `any:latency=2s@50%`. A string says what is wrong. */
export const parseFault = (source: string): Fault | string => {
  const parts =
    /^(?<operation>[a-z]+):(?<kind>[a-z-]+)(?:=(?<value>.*?))?(?:x(?<count>\d+)|@(?<rate>\d+(?:\.\d+)?)%)?$/s
  const groups = parts.exec(source)?.groups
  if (groups === undefined) return `a fault is written ${faultForm}`
  const { operation = '', kind = '', value, count, rate } = groups
  const known = Object.hasOwn(faultKinds, kind) ? faultKinds[kind] : undefined
  if (operation !== 'any' && !operations.includes(operation as Operation)) {
    return `no operation ${operation}; there are ${operations.join(', ')} and any`
  }
  if (known === undefined) return `no fault ${kind}; there are ${Object.keys(faultKinds).join(', ')}`
  if (value !== undefined && known.value === undefined) return `the fault ${kind} takes no value`
  if (value === undefined && known.needsValue)
    return `the fault ${kind} needs a value: ${kind}=${known.value}`
  if (value !== undefined && known.isValid?.(value) === false) return `the fault ${kind} takes ${known.value}`
  if (count !== undefined && Number(count) === 0) return 'a fault happens at least once'
  if (rate !== undefined && Number(rate) > 100) return 'a fault happens at most 100% of the time'
  return {
    operation: operation as Operation | 'any',
    kind,
    ...(value === undefined ? {} : { value }),
    often: rate === undefined ? { count: Number(count ?? 1) } : { rate: Number(rate) / 100 },
  }
}

// 0.07 * 100 is a little more than 7.
const percentOf = (rate: number): number => Number((rate * 100).toPrecision(12))

export const faultText = ({ operation, kind, value, often }: Fault): string => {
  const times = 'rate' in often ? `@${percentOf(often.rate)}%` : `x${often.count}`
  return `${operation}:${kind}${value === undefined ? '' : `=${value}`}${times}`
}
