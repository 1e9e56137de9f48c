// A source of candidates: it decides what a flag or an argument offers on the line that the user is typing.
import type { Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import type { Candidate, Offer } from '../../ui/text/candidates.ts'

export type Tree = {
  readonly program: Command
  /** The topics of `help`. */
  readonly topics: readonly string[]
  /** The fields of each result, by command and flag. Only `--fields` needs them. */
  readonly loadFieldNames: () => Promise<ReadonlyMap<string, readonly string[]>>
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

export type Asked = { readonly context: Context; readonly line: TypedLine; readonly tree: Tree }

type Found = readonly Candidate[] | Offer

export type Source = (asked: Asked) => Found | Promise<Found>

export const toCandidates = (values: readonly string[]): Candidate[] => values.map((value) => ({ value }))
