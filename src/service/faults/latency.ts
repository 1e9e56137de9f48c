// How long the service takes its time, as one types it: `2s`, `50ms..200ms`. Pure.
import { durationForm, parseDuration } from '../../contract/duration.ts'

export type Latency = { readonly from: number; readonly to: number }

export const latencyForm = `${durationForm}; or two with .. between them`

export const parseLatency = (source: string): Latency | undefined => {
  const [first = '', second = first, ...rest] = source.split('..')
  const from = parseDuration(first)
  const to = parseDuration(second)
  if (rest.length > 0 || from === undefined || to === undefined || from > to) return undefined
  return { from, to }
}

export const latencyMs = ({ from, to }: Latency, random: () => number): number =>
  Math.round(from + (to - from) * random())
