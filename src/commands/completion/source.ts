// A source of candidates: it decides what a flag or an argument offers.
import type { Candidate, Offer } from '../../ui/text/candidates.ts'
import type { Asked } from './journal-reader.ts'
import type { Tree } from './parse-line.ts'

export type Ask = Asked & { readonly tree: Tree }

export type Source = (ask: Ask) => Offer | Promise<Offer>

export const none: Offer = { candidates: [] }

export const words =
  (values: readonly string[]): Source =>
  () => ({ candidates: values.map((value) => ({ value })) })

export const from =
  (candidates: (ask: Ask) => Promise<readonly Candidate[]>): Source =>
  async (ask) => ({ candidates: await candidates(ask) })

/** Keeps the first candidate of each value. */
export const removeRepeated = (candidates: readonly Candidate[]): Candidate[] =>
  [...Map.groupBy(candidates, ({ value }) => value).values()].map(([first]) => first as Candidate)
