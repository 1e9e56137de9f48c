// The command tree. It knows the name of every command, but only the running command's flags.
import { Command, CommanderError, Help } from 'commander'
import { findAssistant } from '../cli/assistants.ts'
import { addSpec } from '../cli/read-options.ts'
import type { Act } from '../cli/spec.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { entries, loadSpec } from './commands.ts'
import { addHelpCommand, formatHelp, optionDescription, topics } from './help.ts'
import { applyVariables, wantsJson } from './variables.ts'

// Commander reports --help in the same way.
const versionRequested = 'orderctl.version'
const licensesRequested = 'orderctl.licenses'

/** Words that users of other programs type. */
const synonyms = new Map([
  ['ls', 'list'],
  ['version', '--version'],
])

/** Runs the words after the program's name. Returns the exit code. */
export const runProgram = async (context: Context, typed: readonly string[]): Promise<number> => {
  const words = typed.map((word, index) => (index === 0 ? (synonyms.get(word) ?? word) : word))
  let exit: number = exitCodes.ok.code
  const setExit = (code: number): void => {
    exit = code
  }
  // orderctl starts a second orderctl with this command (main.ts).
  if (words[0] === '__probe-lock') {
    const { probeLock } = await import('../commands/probe-lock/run.ts')
    probeLock(context, words[1] ?? '')
    return exit
  }
  // The command to run, or the subject of help or completion. No flag before its name takes a value.
  const name = words.find((word) => entries.some((entry) => entry.name === word))
  const isCompletion = words[0] === '__complete'
  const line = isCompletion ? words.slice(words[1] === '--' ? 2 : 1) : words
  const [first = '', second] = line
  const isAlone = first === '--version' || (first === name && !(isCompletion && second === undefined))
  const program = await buildProgram(context, { needed: name, isAlone, typed: words }, setExit)
  if (isCompletion) {
    const { complete } = await import('../commands/completion/complete.ts')
    const loadFieldNames = async () => (await import('./field-names.ts')).fieldNames
    await complete(context, { program, topics, loadFieldNames }, line)
    return exit
  }
  try {
    await program.parseAsync(words.length === 0 ? ['--help'] : [...words], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === licensesRequested) {
      const { printLicenses } = await import('../commands/help/version.ts')
      printLicenses(context)
    }
    if (error.code === versionRequested && wantsJson(words, context.environment)) {
      const { printVersionDocument } = await import('../commands/help/version.ts')
      printVersionDocument(context)
    } else if (error.code === versionRequested) context.stdout.write(`${context.version}\n`)
    // --help, --version and --licenses end with a CommanderError of exit code 0.
    if (error.exitCode !== 0) {
      const { usageError } = await import('./usage-error.ts')
      throw usageError(error, program, words)
    }
  }
  return exit
}

const buildProgram = async (
  context: Context,
  {
    needed,
    isAlone,
    typed,
  }: { readonly needed: string | undefined; readonly isAlone: boolean; readonly typed: readonly string[] },
  setExit: (code: number) => void,
): Promise<Command> => {
  const program = new Command('orderctl')
    .description('Order gift cards and vouchers.')
    .usage('COMMAND [flags]')
    .option('--version', 'print the version; with --json also the schema, Node and how it was installed')
    .helpOption('-h, --help', 'print this help')
    .option('--no-color', 'print without colour')
    .option('--licenses', 'print the licenses of the software in orderctl')
    .on('option:version', () => {
      throw new CommanderError(0, versionRequested, '')
    })
    .on('option:licenses', () => {
      throw new CommanderError(0, licensesRequested, '')
    })
    .helpCommand(false)
    // A flag after a subcommand belongs to the subcommand, even if its parent has the same flag.
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .configureHelp({
      // Commander would not wrap the help of flags on a terminal of 60 columns.
      minWidthToWrap: 20,
      // Leaves out '[options]', because every command has flags.
      subcommandTerm: (command) => Help.prototype.subcommandTerm(command).replace(' [options]', ''),
      // Commander says 'options'. All our texts say 'flags'.
      commandUsage: (command) => Help.prototype.commandUsage(command).replace('[options]', '[flags]'),
      styleTitle: (title) => (title === 'Options:' ? 'Flags:' : title),
      formatHelp,
      optionDescription,
    })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      // Errors are also thrown, and run.ts prints them.
      writeErr: () => {},
      getOutHasColors: () => context.stdout.colour,
      getErrHasColors: () => context.stderr.colour,
      getOutHelpWidth: () => context.stdout.width,
      getErrHelpWidth: () => context.stderr.width,
    })
    .exitOverride()
    .hook('preAction', (_, command) => {
      context.suggest.setFlags(command.opts())
      context.suggest.setWords(typed)
      applyVariables(command, context.environment)
      // A script reads stderr as one JSON object. An assistant gets notes and warnings.
      const isJson = command.getOptionValue('json') === true && context.assistant === undefined
      context.stderr.isQuiet = isJson || command.getOptionValue('quiet') === true
      context.stderr.warnings = isJson ? [] : undefined
    })
  for (const entry of entries) {
    // --version takes 1 ms less. Help, the error of an unknown command, and TAB on a command need all commands.
    if (isAlone && entry.name !== needed) continue
    const command = program.command(entry.name).summary(entry.summary).helpGroup(`${entry.group}:`)
    if (entry.name === needed) {
      const runWords = (words: readonly string[], elsewhere = context) => runProgram(elsewhere, words)
      const requirePerson = async (act: Act, options: object): Promise<void> => {
        const variable = findAssistant(context.environment)
        if (variable === undefined) return
        const person = await import('../app/require-person.ts')
        await person.requirePerson(context, { act, options, variable })
      }
      const around = { context, setExit, runWords, loadSpec, requirePerson }
      addSpec(command, entry.name, (await entry.load()).command, around)
    }
  }
  if (!isAlone) addHelpCommand(program, context)
  return program
}
