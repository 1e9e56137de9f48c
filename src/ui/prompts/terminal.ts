// The streams of a terminal that prompts are drawn on.
import type { Readable, Writable } from 'node:stream'

export type Terminal = {
  readonly input: Readable
  readonly output: Writable & { readonly columns?: number }
  readonly signal: AbortSignal
}
