// The command tree: names, flags, help texts. Each action loads its command when called.
import { Command, CommanderError, Help } from 'commander'
import { completeWords, completionCommand } from '../commands/completion/flags.ts'
import { confirmCommand } from '../commands/confirm/flags.ts'
import { createCommand } from '../commands/create/flags.ts'
import { getCommand } from '../commands/get/flags.ts'
import { listCommand } from '../commands/list/flags.ts'
import { profileCommand } from '../commands/profile/flags.ts'
import { reconcileCommand } from '../commands/reconcile/flags.ts'
import { redeemCommand } from '../commands/redeem/flags.ts'
import { sandboxCommand } from '../commands/sandbox/flags.ts'
import { serveMockCommand } from '../commands/serve-mock/flags.ts'
import { type CommandEntry, examples } from '../commands/shared/flags.ts'
import { watchCommand } from '../commands/watch/flags.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { applyVariables } from './variables.ts'

type SetExit = (code: number) => void

export const entries: readonly CommandEntry[] = [
  createCommand,
  confirmCommand,
  getCommand,
  redeemCommand,
  watchCommand,
  listCommand,
  reconcileCommand,
  profileCommand,
  sandboxCommand,
  serveMockCommand,
  completionCommand,
]

/** Runs the words after the program's name; the exit code. */
export const runProgram = async (context: Context, words: readonly string[]): Promise<number> => {
  let exit: number = exitCodes.ok.code
  const setExit = (code: number): void => {
    exit = code
  }
  const program = build(context, commandIn(words), setExit)
  // Started by orderctl itself (main.ts).
  if (words[0] === '__probe-lock') {
    const { probeLock } = await import('../commands/probe-lock/run.ts')
    probeLock(context, words[1] ?? '')
    return exit
  }
  if (words[0] === '__complete') {
    await completeWords(context, { program, topics }, words.slice(1))
    return exit
  }
  try {
    // Alone, the name shows the way in; commander would call that an error.
    await program.parseAsync(words.length === 0 ? ['--help'] : [...words], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Help and version were what was asked for.
    if (error.exitCode !== 0) {
      const { wrongUsage } = await import('./usage-error.ts')
      throw wrongUsage(error, program, words)
    }
  }
  return exit
}

/** The one to run, or that help or the TAB key is about: no flag before it takes a value. */
const commandIn = (words: readonly string[]): CommandEntry | undefined => {
  const name = words.find((word) => entries.some((entry) => entry.name === word))
  return entries.find((entry) => entry.name === name)
}

/** All the commands, but only the one that is needed with its flags: to make those of all takes 3 ms. */
const build = (context: Context, needed: CommandEntry | undefined, setExit: SetExit): Command => {
  const program = new Command('orderctl')
    .description('The terminal for orders of digital products: vouchers and gift cards.')
    .version(context.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--no-color', 'print without colour')
    .helpCommand(false)
    // A flag behind a subcommand is the subcommand's, also where its parent has one of that name.
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .configureHelp({ subcommandTerm })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      // What went wrong is thrown, too, and printed in one place.
      writeErr: () => {},
      getOutHasColors: () => context.stdout.colour,
      getErrHasColors: () => context.stderr.colour,
      getOutHelpWidth: () => context.stdout.width,
      getErrHelpWidth: () => context.stderr.width,
    })
    .exitOverride()
    .hook('preAction', (_, command) => applyVariables(command, context.environment))
    .addHelpText('after', intro)
  for (const entry of entries) {
    const command = program.command(entry.name).summary(entry.summary)
    if (entry.operand !== undefined) command.argument(...entry.operand)
    if (entry === needed) entry.fill(command, context, setExit)
  }
  addHelp(program, context)
  return program
}

/** Every one of them has flags: that says nothing. */
const subcommandTerm = (command: Command): string =>
  Help.prototype.subcommandTerm(command).replace(' [options]', '')

const intro = `
Start here, offline and without money:
  orderctl create --product GAME-US:25x2 --wallet USD --confirm --watch
  orderctl sandbox                 what can be bought there, and its wallets
  orderctl profile add NAME        your own account, when it comes to money
  orderctl help safety             what keeps you from buying twice
Topics: orderctl help exit-codes|environment|order-file|sandbox|json|safety
`

// One of them is also a command: what it is, and what its flags are.
const topics = ['exit-codes', 'environment', 'order-file', 'sandbox', 'json', 'safety']

const addHelp = (program: Command, context: Context): void => {
  program
    .command('help')
    .summary(`help on a command or a topic: ${topics.join(', ')}`)
    .description('Shows the help on a command, or on a topic.')
    .argument('[topic...]', `a command, or one of ${topics.join(', ')}`)
    .addHelpText(...examples('orderctl help create', 'orderctl help safety'))
    .helpOption('-h, --help', 'print this help')
    .action(async (words: string[]) => {
      const topic = words.join(' ')
      const command = words.reduce<Command | undefined>(
        (found, name) => found?.commands.find((each) => each.name() === name),
        program,
      )
      const isTopic = topics.includes(topic)
      if (isTopic) {
        const { showTopic } = await import('../commands/help/topics.ts')
        await showTopic(context, topic)
      }
      if (isTopic && command !== undefined) context.stdout.write('\n')
      command?.outputHelp()
      if (isTopic || command !== undefined) return
      const { noHelp } = await import('./usage-error.ts')
      throw noHelp(program, words, topics)
    })
}
