// orderctl __complete: what the TAB key offers for the words on a line. Silent, whatever is wrong; makes no call,
// runs nothing, and reads the journal and the profiles only where they are asked for.
import type { Command, Help } from 'commander'
import type { Context } from '../../context.ts'
import { type Candidate, type Offer, renderCandidates } from '../../ui/text/candidates.ts'
import { readLine, type Tree, type TypedLine } from './parse-line.ts'

/** The last word is the one that is typed. */
export const complete = async (context: Context, tree: Tree, words: readonly string[]): Promise<number> => {
  const line = readLine(tree.program, words)
  const offer = line === undefined ? nothing : await offerFor(context, tree, line).catch(() => nothing)
  const prefix = line?.openFlag?.prefix ?? ''
  const fitting = offer.candidates
    .filter(({ value }) => value.startsWith(line?.word ?? ''))
    .map((candidate) => ({ ...candidate, value: `${prefix}${candidate.value}` }))
  context.stdout.write(renderCandidates({ ...offer, candidates: fitting }))
  return 0
}

const nothing: Offer = { candidates: [] }

const offerFor = async (context: Context, tree: Tree, line: TypedLine): Promise<Offer> => {
  const { command, path, operands, isLiteral, openFlag, word } = line
  const help = command.createHelp()
  const ask = { context, tree, line }
  if (openFlag !== undefined) {
    const { long, flags, argChoices } = openFlag.option
    const placeholder = /[<[].*$/.exec(flags)?.[0] ?? ''
    const source = await sourceFor([`${path} ${long}`, `${long}`], placeholder, argChoices)
    return source?.(ask) ?? nothing
  }
  if (word.startsWith('-') && !isLiteral) return { candidates: flagsOf(help, line) }
  const commands = operands.length === 0 && !isLiteral ? commandsOf(help, command) : []
  const [argument] = command.registeredArguments.slice(
    Math.min(operands.length, command.registeredArguments.length - (endsOpen(command) ? 1 : 0)),
  )
  const source =
    argument && (await sourceFor([`${path} ${argument.name()}`], `<${argument.name()}>`, argument.argChoices))
  const offer = (await source?.(ask)) ?? nothing
  const isOver = argument === undefined || !argument.required
  const hasNone = commands.length === 0 && offer.candidates.length === 0 && offer.next === undefined
  // Where nothing else can follow, the flags are what can.
  return hasNone && isOver && word === '' && !isLiteral
    ? { candidates: flagsOf(help, line) }
    : { ...offer, candidates: [...commands, ...offer.candidates] }
}

// Commands and flags stand in the tree: they do not wait for what only values need.
const sourceFor = async (...named: Parameters<typeof import('./candidates.ts').sourceOf>) =>
  (await import('./candidates.ts')).sourceOf(...named)

const endsOpen = ({ registeredArguments }: Command): boolean => registeredArguments.at(-1)?.variadic === true

/** Those that may still be given: again, only what gathers its values. */
const flagsOf = (help: Help, { command, flags }: TypedLine): Candidate[] => {
  const given = new Set(flags.map(({ option }) => option.long))
  return help
    .visibleOptions(command)
    .filter(({ long, parseArg }) => long && (parseArg !== undefined || !given.has(long)))
    .map(({ long = '', description }) => ({ value: long, description }))
}

const commandsOf = (help: Help, command: Command): Candidate[] =>
  help
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: help.subcommandDescription(each) }))
