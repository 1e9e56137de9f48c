// Explains a command line that cannot be parsed, with a suggestion. Loaded only when one occurs.
import type { Command, CommanderError } from 'commander'
import { Failure } from '../errors.ts'
import { findNearest } from '../text/words.ts'

export const usageError = (error: CommanderError, program: Command, words: readonly string[]): Failure => {
  const { command, path } = findCommand(program, words)
  const isUnknownCommand = error.code === 'commander.unknownCommand'
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n')
  // Commander's suggestions are used only for flags: it would suggest a command that spends for a very different word.
  const suggested = isUnknownCommand
    ? undefined
    : /Did you mean (?:one of )?(.*)\?/.exec(suggestion ?? '')?.[1]
  const [first = ''] = isUnknownCommand || error.code === 'commander.excessArguments' ? command.args : []
  const near = suggested ?? suggestName(first, namesOf(command))
  const flag = /^unknown option '(.*)'$/s.exec(message)?.[1]
  // The message would repeat the key.
  if (flag !== undefined && /^--(api-?)?key(=|$)/.test(flag)) return createKeyFailure()
  const isCommand = (word: string): boolean => namesOf(program).includes(word)
  const isBefore = flag !== undefined && words.findIndex(isCommand) > words.indexOf(flag)
  const takesCommand = first !== '' && command.commands.length > 0 && command.registeredArguments.length === 0
  return new Failure('usage', takesCommand ? `unknown command '${[...path, first].join(' ')}'` : message, {
    // The word after such a flag may be its value: `--profile sandbox list`.
    fix: () => (isBefore ? 'orderctl --help' : helpOf(path)),
    advice: explained.has(first)
      ? nothingToUndo
      : near !== undefined
        ? askNear(near)
        : isBefore
          ? 'Put flags after the command.'
          : undefined,
  })
}

const createKeyFailure = (): Failure =>
  new Failure('usage', 'a key is never a flag', {
    fix: () => 'orderctl profile add --help',
    advice: 'Save it in a profile with --key-stdin, or set ORDERCTL_API_KEY.',
  })

/** Words for what no command does. */
const explained = new Set(['cancel', 'undo', 'refund', 'revoke', 'return', 'delete'])

const nothingToUndo =
  'You cannot undo a payment. An unconfirmed order expires by itself and costs nothing. To stop a batch, use batch cancel.'

export const unknownTopic = (program: Command, words: string[], topics: readonly string[]): Failure => {
  const { command, path } = findCommand(program, words)
  const known = [...new Set([...namesOf(command), ...(path.length === 0 ? topics : [])])]
  const help = ['orderctl help', ...path].join(' ')
  const kind = path.length === 0 ? 'Topics' : 'Commands'
  const all = known.length === 0 ? undefined : `${kind}: ${known.join(', ')}`
  const near = suggestName(words[path.length] ?? '', known)
  return new Failure('usage', `no help topic '${words.join(' ')}'`, {
    fix: () => help,
    advice: near === undefined ? all : askNear(near),
  })
}

const askNear = (names: string): string => `Did you mean ${names.replaceAll(', ', ' or ')}?`

const spendingCommands = new Set(['create', 'confirm'])

/**
 * `docs` does not mean `doctor`, and `export` does not mean `report`. A very different word never suggests a command
 * that spends.
 */
const countAllowedSlips = (word: string, name: string): number => {
  if (spendingCommands.has(name) || name[0] !== word[0]) return 1
  return name.startsWith(word) ? 3 : 2
}

const suggestName = (word: string, known: readonly string[]): string | undefined =>
  (word && findNearest(word, known, (name) => countAllowedSlips(word, name)).join(', ')) || undefined

/** The command that prints the help of the command. `help` prints its own. */
const helpOf = (path: readonly string[]): string =>
  path[0] === 'help' ? 'orderctl help' : ['orderctl', ...path, '--help'].join(' ')

const namesOf = (command: Command): string[] => {
  const commands = command.createHelp().visibleCommands(command)
  return commands.map((each) => each.name()).filter((name) => name !== 'help')
}

/** The innermost command in the words. A command with subcommands has no flag that takes a value. */
const findCommand = (program: Command, words: readonly string[]) => {
  const path: string[] = []
  let command = program
  for (const word of words.filter((each) => !each.startsWith('-'))) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    path.push(word)
    command = next
  }
  return { command, path }
}
