// orderctl __complete: parses the unfinished command line, and prints the candidates for the word at its end. It prints no
// errors, calls no service, runs no program, and reads the journal and the profiles only if they are needed.
import type { Argument, Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { type Candidate, type Offer, renderCandidates } from '../../ui/text/candidates.ts'
import type { Asked, Tree, TypedLine } from './source.ts'

/** The last word is the one to complete. */
export const complete = async (context: Context, tree: Tree, words: readonly string[]): Promise<void> => {
  const line = parseLine(tree.program, words)
  const offer = line && (await findOffer({ context, tree, line }).catch(() => undefined))
  const prefix = line?.openFlag?.prefix ?? ''
  const candidates = (offer?.candidates ?? [])
    .filter(({ value }) => value.startsWith(line?.word ?? ''))
    .map((candidate) => ({ ...candidate, value: `${prefix}${candidate.value}` }))
  context.stdout.write(renderCandidates({ ...offer, candidates }))
}

const findOffer = async (asked: Asked): Promise<Offer> => {
  const { command, operands, isLiteral, openFlag, word } = asked.line
  if (openFlag !== undefined) return askSource(asked, openFlag.option)
  if (word.startsWith('-') && !isLiteral) return { candidates: listFlags(asked.line) }
  const commands = operands.length === 0 && !isLiteral ? listCommands(command) : []
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[operands.length] ?? (last?.variadic ? last : undefined)
  const offer = argument === undefined ? { candidates: [] } : await askSource(asked, argument)
  const hasNone = commands.length === 0 && offer.candidates.length === 0 && offer.next === undefined
  // If no argument can follow, only flags can.
  return hasNone && argument?.required !== true && word === '' && !isLiteral
    ? { candidates: listFlags(asked.line) }
    : { ...offer, candidates: [...commands, ...offer.candidates] }
}

/** The sources are loaded only for values, because commands and flags come from the command tree. */
const askSource = async (asked: Asked, value: Option | Argument): Promise<Offer> => {
  const { findSource } = await import('./candidates.ts')
  const found = (await findSource(value)?.(asked)) ?? []
  return 'candidates' in found ? found : { candidates: found }
}

/** The flags that can still be given. A flag may be repeated only if it collects its values. */
const listFlags = ({ command, flags }: TypedLine): Candidate[] => {
  const given = new Set(flags.map(({ option }) => option.long))
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long, parseArg }) => long && (parseArg !== undefined || !given.has(long)))
    .map(({ long = '', description }) => ({ value: long, description }))
}

const listCommands = (command: Command): Candidate[] => {
  const help = command.createHelp()
  return help
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: help.subcommandDescription(each) }))
}

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
    if (openOption !== undefined) {
      flags.push({ option: openOption, value: word })
      openOption = undefined
    } else if (isLiteral) operands.push(word)
    else if (word === '--') isLiteral = true
    else if (isFlag(word)) {
      const { options, value } = flagsIn(command, word)
      if (options.at(-1)?.required && value === undefined) openOption = options.pop()
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
  if (openOption !== undefined) return { ...line, openFlag: { option: openOption, prefix: '' }, word: typed }
  const [, name = '', word = ''] = (!isLiteral && /^(--[^=]+)=(.*)$/s.exec(typed)) || []
  const option = command.options.find(({ long }) => long === name)
  return option?.required
    ? { ...line, openFlag: { option, prefix: `${name}=` }, word }
    : { ...line, word: typed }
}

const isFlag = (word: string): boolean => /^-./s.test(word)

/** `--long`, `--long=value`, or several short ones in one word. */
const flagsIn = (command: Command, word: string): { options: Option[]; value?: string } => {
  const visible = command.createHelp().visibleOptions(command)
  const known = (name: string) => visible.find(({ short, long }) => short === name || long === name)
  if (!word.startsWith('--')) {
    const short = [...word.slice(1)].map((letter) => known(`-${letter}`))
    return { options: short.filter((option) => option !== undefined) }
  }
  const [, name = '', value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? []
  const option = known(name)
  return { options: option === undefined ? [] : [option], value }
}
