// Parses an unfinished command line against the command tree, up to the word to complete.
import type { Command, Option } from 'commander'

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

/** The last word is the one to complete; it may be empty. Undefined if the line cannot become a valid command. */
export const parseLine = (program: Command, words: readonly string[]): TypedLine | undefined => {
  const before = words.slice(0, -1)
  const typed = words.at(-1) ?? ''
  const path: string[] = []
  const flags: { option: Option; value?: string }[] = []
  const operands: string[] = []
  let command = program
  let openOption: Option | undefined
  let isLiteral = false
  for (const word of before) {
    if (openOption !== undefined && (openOption.required || !isFlag(word))) {
      flags.push({ option: openOption, value: word })
      openOption = undefined
      continue
    }
    if (openOption !== undefined) flags.push({ option: openOption })
    openOption = undefined
    if (isLiteral) operands.push(word)
    else if (word === '--') isLiteral = true
    else if (isFlag(word)) {
      const { options, value } = flagsIn(command, word)
      const last = options.at(-1)
      if (last !== undefined && takesValue(last) && value === undefined) openOption = options.pop()
      for (const option of options) flags.push({ option, value })
    } else {
      const next = operands.length === 0 ? command.commands.find((each) => each.name() === word) : undefined
      if (next !== undefined) {
        command = next
        path.push(word)
      } else if (command.registeredArguments.length === 0) return undefined
      else operands.push(word)
    }
  }
  const line = { command, path: path.join(' '), flags, operands, isLiteral }
  if (openOption !== undefined && (openOption.required || !isFlag(typed))) {
    return { ...line, openFlag: { option: openOption, prefix: '' }, word: typed }
  }
  const [, name = '', word = ''] = (!isLiteral && /^(--[^=]+)=(.*)$/s.exec(typed)) || []
  const option = command.options.find(({ long }) => long === name)
  if (option !== undefined && takesValue(option)) {
    return { ...line, openFlag: { option, prefix: `${name}=` }, word }
  }
  return { ...line, word: typed }
}

const isFlag = (word: string): boolean => /^-./s.test(word)

const takesValue = ({ required, optional }: Option): boolean => required || optional

/** `--long`, `--long=value`, or several short ones in one word. */
const flagsIn = (command: Command, word: string): { options: Option[]; value?: string } => {
  const known = (name: string) =>
    command
      .createHelp()
      .visibleOptions(command)
      .find(({ short, long }) => short === name || long === name)
  if (!word.startsWith('--')) {
    const short = [...word.slice(1)].map((letter) => known(`-${letter}`))
    return { options: short.filter((option) => option !== undefined) }
  }
  const [, name = '', value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? []
  const option = known(name)
  return { options: option === undefined ? [] : [option], value }
}
