// Turns words that make no command line into an error with a suggestion. Loaded only then.
import type { Command, CommanderError } from 'commander'
import { Failure } from '../errors.ts'
import { nearest } from '../text/nearest.ts'

export const wrongUsage = (error: CommanderError, program: Command, words: readonly string[]): Failure => {
  const { command, path } = deepest(program, words)
  const isUnknownCommand = error.code === 'commander.unknownCommand'
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n')
  // Commander would suggest a command that spends for a word that is far from it: its suggestions are for flags.
  const said = isUnknownCommand ? undefined : /Did you mean (?:one of )?(.*)\?/.exec(suggestion ?? '')?.[1]
  const [first = ''] = isUnknownCommand || error.code === 'commander.excessArguments' ? command.args : []
  const near = said ?? nearestText(first, namesOf(command))
  const flag = /^unknown option '(.*)'$/s.exec(message)?.[1]
  const [name] = path
  const isBefore = flag !== undefined && name !== undefined && words.indexOf(flag) < words.indexOf(name)
  const isNone = first !== '' && command.commands.length > 0 && command.registeredArguments.length === 0
  return new Failure('usage', isNone ? `unknown command '${[...path, first].join(' ')}'` : message, {
    // What follows such a flag may be its value, and no command: `--profile sandbox list`.
    fix: isBefore ? meant(near, 'put flags behind the command: orderctl --help') : meant(near, helpOn(path)),
  })
}

export const noHelp = (program: Command, words: readonly string[], topics: readonly string[]): Failure => {
  const { command, path } = deepest(program, words)
  const known = [...new Set([...namesOf(command), ...(path.length === 0 ? topics : [])])]
  const all = ['orderctl help', ...path, known.join('|')].join(' ').trim()
  return new Failure('usage', `no help on ${JSON.stringify(words.join(' '))}`, {
    fix: meant(nearestText(words[path.length] ?? '', known), all),
  })
}

const meant = (near: string | undefined, otherwise: string): string =>
  near === undefined ? otherwise : `${near}, or ${otherwise}`

const spendingCommands = new Set(['create', 'confirm'])

const nearestText = (word: string, known: readonly string[]): string | undefined =>
  word === '' ? undefined : nearest(word, known, (name) => spendingCommands.has(name)).join(', ') || undefined

/** help is help itself. */
const helpOn = (path: readonly string[]): string =>
  path[0] === 'help' ? 'orderctl help' : ['orderctl', ...path, '--help'].join(' ')

const namesOf = (command: Command): string[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name())
    .filter((name) => name !== 'help')

/** The command that the words lead to. What has commands has no flag that takes a word. */
const deepest = (
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly path: readonly string[] } => {
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
