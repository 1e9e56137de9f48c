// orderctl __complete: parses the unfinished command line, and prints the candidates for the word at its end. It prints no
// errors, calls no service, runs no program, and reads the journal and the profiles only if they are needed.

import type { Argument, Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { Asked, Completion, CompletionList, Tree, TypedLine } from './candidates.ts'

// Candidates are printed in the format of the shell scripts: a line `value<TAB>description` for each, then a line `:next`. The
// shell inserts a value as it is, so an unsafe value is left out rather than escaped.

const maxDescription = 80

const renderLine = ({ value, description }: Completion): string => {
  const text = sanitize(description ?? '')
  const characters = [...text]
  const shown =
    characters.length > maxDescription ? `${characters.slice(0, maxDescription - 1).join('')}…` : text
  return shown === '' ? value : `${value}\t${shown}`
}

export const renderCandidates = ({ candidates, next = '' as never }: CompletionList): string =>
  [...candidates.filter(({ value }) => value !== '' && sanitize(value) === value).map(renderLine), `:${next}`]
    .map((line) => `${line}\n`)
    .join('')

/** One or two terminal pages. */
const maxCandidates = 100

/** The last word is the one to complete. */
export const complete = async (context: Context, tree: Tree, words: readonly string[]): Promise<void> => {
  const line = parseLine(tree.program, words)
  const offer = line && (await findOffer({ context, tree, line }).catch(() => undefined))
  const candidates = line && offer ? selectFitting(line, offer.candidates) : []
  context.stdout.write(renderCandidates({ ...offer, candidates }))
}

/** Offers each value once, and no argument that was given. */
const selectFitting = ({ word, operands, openFlag }: TypedLine, candidates: readonly Completion[]) => {
  const used = new Set(openFlag === undefined ? operands : [])
  const fitting: Completion[] = []
  for (const { value, description } of candidates) {
    if (!value.startsWith(word) || used.has(value)) continue
    used.add(value)
    fitting.push({ value: `${openFlag?.prefix ?? ''}${value}`, description })
  }
  return fitting.slice(0, maxCandidates)
}

const findOffer = async (asked: Asked): Promise<CompletionList> => {
  const { command, operands, isLiteral, openFlag, word } = asked.line
  if (openFlag !== undefined) return askSource(asked, openFlag.option)
  if (word.startsWith('-') && !isLiteral) return { candidates: listFlags(asked.line) }
  const commands = listCommands(asked)
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[operands.length] ?? (last?.variadic ? last : undefined)
  const offer = argument === undefined ? { candidates: [] } : await askSource(asked, argument)
  const candidates = [...commands, ...offer.candidates]
  const hasNone = candidates.length === 0 && offer.next === undefined && argument?.required !== true
  // If no argument can follow, only flags can.
  return hasNone && word === '' && !isLiteral
    ? { candidates: listFlags(asked.line) }
    : { ...offer, candidates }
}

/** The commands that can follow. The words after `help` are those of a command. */
const listCommands = ({ tree, line: { command, path, operands, isLiteral } }: Asked): Completion[] => {
  const parent = operands.reduce<Command | undefined>(
    (found, word) => found?.commands.find((each) => each.name() === word),
    path === 'help' ? tree.program : command,
  )
  if (parent === undefined || isLiteral) return []
  const help = parent.createHelp()
  return help
    .visibleCommands(parent)
    .map((each) => ({ value: each.name(), description: help.subcommandDescription(each) }))
}

/** The sources are loaded only for values, because commands and flags come from the command tree. */
const askSource = async (asked: Asked, value: Option | Argument): Promise<CompletionList> => {
  const { findSource } = await import('./candidates.ts')
  const found = (await findSource(value)?.(asked)) ?? []
  return 'candidates' in found ? found : { candidates: found }
}

/** The flags that can still be given. A flag may be repeated only if it collects its values. */
const listFlags = ({ command, flags }: TypedLine): Completion[] => {
  const given = new Set(flags.map(({ option }) => option.long))
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long, parseArg }) => long && (parseArg !== undefined || !given.has(long)))
    .map(({ long = '', description }) => ({ value: long, description }))
}

/** The last word is the one to complete; it may be empty. Undefined if the line cannot become a valid command. */
const parseLine = (program: Command, words: readonly string[]): TypedLine | undefined => {
  const path: string[] = []
  const flags: { option: Option; value?: string }[] = []
  const operands: string[] = []
  let command = program
  let openOption: Option | undefined
  let isLiteral = false
  for (const word of words.slice(0, -1)) {
    if (openOption !== undefined) {
      flags.push({ option: openOption, value: word })
      openOption = undefined
    } else if (isLiteral) operands.push(word)
    else if (word === '--') isLiteral = true
    else if (word.length > 1 && word.startsWith('-')) {
      const { option, value } = readFlag(command, word)
      if (option?.required && value === undefined) openOption = option
      else if (option !== undefined) flags.push({ option, value })
    } else {
      const next = operands.length === 0 ? command.commands.find((each) => each.name() === word) : undefined
      if (next !== undefined) {
        command = next
        path.push(word)
      } else if (command.registeredArguments.length === 0) return undefined
      else operands.push(word)
    }
  }
  const word = words.at(-1) ?? ''
  const line = { command, path: path.join(' '), flags, operands, isLiteral }
  if (openOption !== undefined) return { ...line, openFlag: { option: openOption, prefix: '' }, word }
  const { option, value } = isLiteral ? {} : readFlag(command, word)
  return option?.required && value !== undefined
    ? { ...line, openFlag: { option, prefix: `${option.long}=` }, word: value }
    : { ...line, word }
}

/** `--long` or `--long=value`. No short flag takes a value. */
const readFlag = (command: Command, word: string): { option?: Option; value?: string } => {
  const [, name, value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? []
  return { option: command.options.find(({ long }) => long === name), value }
}
