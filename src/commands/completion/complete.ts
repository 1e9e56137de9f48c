// orderctl __complete: parses the unfinished command line, and prints the candidates for the word at its end. It prints no
// errors, calls no service, runs no program, and reads the journal and the profiles only if they are needed.
import type { Argument, Command, Help, Option } from 'commander'
import type { Context } from '../../context.ts'
import { type Candidate, type Offer, renderCandidates } from '../../ui/text/candidates.ts'
import type { Tree, TypedLine } from './source.ts'

/** The last word is the one to complete. */
export const complete = async (context: Context, tree: Tree, words: readonly string[]): Promise<void> => {
  const line = parseLine(tree.program, words)
  const offer =
    line === undefined ? noCandidates : await findOffer(context, tree, line).catch(() => noCandidates)
  const prefix = line?.openFlag?.prefix ?? ''
  const matching = offer.candidates
    .filter(({ value }) => value.startsWith(line?.word ?? ''))
    .map((candidate) => ({ ...candidate, value: `${prefix}${candidate.value}` }))
  context.stdout.write(renderCandidates({ ...offer, candidates: matching }))
}

const noCandidates: Offer = { candidates: [] }

const findOffer = async (context: Context, tree: Tree, line: TypedLine): Promise<Offer> => {
  const { command, operands, isLiteral, openFlag, word } = line
  const help = command.createHelp()
  const ask = { context, tree, line }
  if (openFlag !== undefined) {
    const source = await loadSource(openFlag.option)
    return source?.(ask) ?? noCandidates
  }
  if (word.startsWith('-') && !isLiteral) return { candidates: listFlags(help, line) }
  const commands = operands.length === 0 && !isLiteral ? listCommands(help, command) : []
  const [argument] = command.registeredArguments.slice(
    Math.min(operands.length, command.registeredArguments.length - (takesMore(command) ? 1 : 0)),
  )
  const source = argument && (await loadSource(argument))
  const offer = (await source?.(ask)) ?? noCandidates
  const isComplete = argument === undefined || !argument.required
  const hasNone = commands.length === 0 && offer.candidates.length === 0 && offer.next === undefined
  // If no argument can follow, only flags can.
  return hasNone && isComplete && word === '' && !isLiteral
    ? { candidates: listFlags(help, line) }
    : { ...offer, candidates: [...commands, ...offer.candidates] }
}

// Loaded only for values, because commands and flags come from the command tree.
const loadSource = async (value: Option | Argument) => (await import('./candidates.ts')).findSource(value)

const takesMore = ({ registeredArguments }: Command): boolean => registeredArguments.at(-1)?.variadic === true

/** The flags that can still be given. A flag may be repeated only if it collects its values. */
const listFlags = (help: Help, { command, flags }: TypedLine): Candidate[] => {
  const given = new Set(flags.map(({ option }) => option.long))
  return help
    .visibleOptions(command)
    .filter(({ long, parseArg }) => long && (parseArg !== undefined || !given.has(long)))
    .map(({ long = '', description }) => ({ value: long, description }))
}

const listCommands = (help: Help, command: Command): Candidate[] =>
  help
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: help.subcommandDescription(each) }))

/** The last word is the one to complete; it may be empty. Undefined if the line cannot become a valid command. */
const parseLine = (program: Command, words: readonly string[]): TypedLine | undefined => {
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
