// A source of candidates: it decides what a flag or an argument offers on the line that the user is typing.
import type { Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import type { Candidate, Offer } from '../../ui/text/candidates.ts'

export type Tree = {
  readonly program: Command
  /** The topics of `help`. */
  readonly topics: readonly string[]
}

export type TypedLine = {
  readonly command: Command
  /** Such as `profile add`. Empty for the program itself. */
  readonly path: string
  /** The flags before the word, repeated ones included. */
  readonly flags: readonly { readonly option: Option; readonly value?: string }[]
  readonly operands: readonly string[]
  /** After `--`, no word is a flag. */
  readonly isLiteral: boolean
  /** The flag whose value is being typed. `prefix` is the text before the value in the same word: `--state=`. */
  readonly openFlag?: { readonly option: Option; readonly prefix: string }
  /** The typed part of the word, without the prefix. */
  readonly word: string
}

export type Asked = { readonly context: Context; readonly line: TypedLine }

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
