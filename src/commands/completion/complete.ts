// orderctl __complete: prints the candidates for the word at the end of a command line. It prints no errors, calls no
// service, runs no program, and reads the journal and the profiles only if they are needed.
import type { Argument, Command, Help, Option } from 'commander'
import type { Context } from '../../context.ts'
import { type Candidate, type Offer, renderCandidates } from '../../ui/text/candidates.ts'
import { parseLine, type Tree, type TypedLine } from './parse-line.ts'

/** The last word is the one to complete. */
export const complete = async (context: Context, tree: Tree, words: readonly string[]): Promise<number> => {
  const line = parseLine(tree.program, words)
  const offer =
    line === undefined ? noCandidates : await findOffer(context, tree, line).catch(() => noCandidates)
  const prefix = line?.openFlag?.prefix ?? ''
  const matching = offer.candidates
    .filter(({ value }) => value.startsWith(line?.word ?? ''))
    .map((candidate) => ({ ...candidate, value: `${prefix}${candidate.value}` }))
  context.stdout.write(renderCandidates({ ...offer, candidates: matching }))
  return 0
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
