// A latency, written as one duration (`2s`) or a range (`50ms..200ms`).
import { durationForm, parseDuration } from '../../contract/duration.ts'

export type Latency = { readonly from: number; readonly to: number }

export const latencyForm = `${durationForm}, or a range such as 50ms..200ms`

export const parseLatency = (source: string): Latency | undefined => {
  const [first = '', second = first, ...rest] = source.split('..')
  const from = parseDuration(first)
  const to = parseDuration(second)
  if (rest.length > 0 || from === undefined || to === undefined || from > to) return undefined
  return { from, to }
}

/** Draws a whole number of milliseconds. */
export const drawLatency = ({ from, to }: Latency, random: () => number): number =>
  Math.round(from + (to - from) * random())
