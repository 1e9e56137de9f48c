// The program: the list of its commands, the command tree, and the help. It knows the name of every command, but loads only
// the description and the flags of the command that runs.

import { Command, CommanderError, Help } from 'commander'
import { addHelp, addSpec, formatHelp } from '../cli/read-options.ts'
import type { Act, CommandNode, Spec } from '../cli/spec.ts'
import { applyVariables, findAssistant, wantsJson } from '../cli/variables.ts'
import type { Context } from '../context.ts'
import { exitCodes, Failure } from '../errors.ts'

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
  // After other flags, Commander would print the help of the whole program.
  if (name !== undefined && words[0]?.startsWith('-') && words.some((word) => /^(-h|--help)$/.test(word)))
    words.push(...words.splice(0, words.indexOf(name)))
  const isCompletion = words[0] === '__complete'
  const line = isCompletion ? words.slice(words[1] === '--' ? 2 : 1) : words
  const [first = '', second] = line
  const isAlone = first === '--version' || (first === name && !(isCompletion && second === undefined))
  const program = await buildProgram(context, { needed: name, isAlone, typed: words }, setExit)
  if (isCompletion) {
    const { complete } = await import('../commands/completion/complete.ts')
    const loadResults = async () => (await import('./results.ts')).resultsByCommand
    await complete(context, { program, topics, loadResults }, line)
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
      formatHelp: (command, helper) =>
        (command.parent === null ? formatOverview : formatHelp)(command, helper, typed.includes('--all')),
      // A default without the quotes that commander prints around a text.
      optionDescription: (option) =>
        Help.prototype.optionDescription(option).replace(/\(default: "([^"]*)"\)$/, '(default: $1)'),
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
      // A script reads stderr as JSON objects. An assistant gets notes and warnings.
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

type Load = () => Promise<{ readonly command: CommandNode }>

const loads = {
  create: () => import('../commands/create/spec.ts'),
  confirm: () => import('../commands/confirm/spec.ts'),
  get: () => import('../commands/get/spec.ts'),
  redeem: () => import('../commands/redeem/spec.ts'),
  watch: () => import('../commands/watch/spec.ts'),
  list: () => import('../commands/list/spec.ts'),
  find: () => import('../commands/find/spec.ts'),
  explain: () => import('../commands/explain/spec.ts'),
  reveals: () => import('../commands/reveals/spec.ts'),
  report: () => import('../commands/report/spec.ts'),
  reconcile: () => import('../commands/reconcile/spec.ts'),
  batch: () => import('../batch/spec.ts'),
  profile: () => import('../commands/profile/spec.ts'),
  journal: () => import('../commands/journal/spec.ts'),
  sandbox: () => import('../commands/sandbox/spec.ts'),
  completion: () => import('../commands/completion/spec.ts'),
  doctor: () => import('../commands/doctor/spec.ts'),
  listen: () => import('../commands/listen/spec.ts'),
  mcp: () => import('../commands/mcp/spec.ts'),
  'serve-mock': () => import('../commands/serve-mock/spec.ts'),
} satisfies Record<string, Load>

/** By the headings of `orderctl --help`. */
const summaries: Readonly<Record<string, { readonly [Name in keyof typeof loads]?: string }>> = {
  Orders: {
    create: 'Place an order from flags, a file or the wizard',
    confirm: 'Confirm an order and spend its total',
    get: 'Show orders and their state',
    redeem: 'Show, copy or export the cards of an order',
    watch: 'Wait until orders are final',
    list: 'List the orders in the journal',
    find: 'Find the order that a code, PIN or link is from',
    explain: 'Say what happened to an order, as a text for a ticket',
    reveals: 'List who saw which codes, and when',
    report: 'Report what was charged, by month, person or product',
    reconcile: 'Settle orders whose outcome is open or unknown',
    batch: 'Buy hundreds of cards from a file, and export them',
  },
  'Accounts and tools': {
    profile: 'Add, list, test and choose the accounts you order with',
    journal: 'Show, create or copy the journal, on this machine or of a team',
    sandbox: 'Show, reset or advance the built-in service',
    completion: 'Print or install the script for the TAB key',
    doctor: 'Check this machine, and list the files of orderctl',
  },
  'Programs and tests': {
    listen: 'Receive webhooks, and forward them',
    mcp: 'Let an assistant read and prepare orders, never confirm them',
    'serve-mock': 'Run a mock of the service locally, for tests',
  },
}

export const entries = Object.entries(summaries).flatMap(([group, commands]) =>
  Object.entries(commands).map(([name, summary]) => {
    const load: Load = loads[name as keyof typeof loads]
    return { name, summary, group, load }
  }),
)

/** The description of a command, such as `batch plan`. */
export const loadSpec = async (path: string): Promise<Spec> => {
  const [name, ...names] = path.split(' ')
  const load: Load = loads[name as keyof typeof loads]
  const { command } = await load()
  return names.reduce((node, each) => node.commands[each] as CommandNode, command).spec
}

// 'sandbox' is also a command. `help sandbox` prints the topic first.
export const topics = ['exit-codes', 'environment', 'order-file', 'sandbox', 'json', 'safety']

/** The pages of docs/ that the package contains. */
export const guides = [
  ...['accounts', 'assistants', 'batch', 'journal', 'order-service', 'performance', 'reference', 'reports'],
  ...['safety', 'scripting', 'serve-mock', 'tasks', 'teams', 'troubleshooting', 'uninstall', 'webhooks'],
]

const formatOverview = (command: Command, helper: Help): string => {
  const listed = helper.visibleCommands(command).filter((each) => each.name() !== 'help')
  const groups = Map.groupBy(listed, (each) => each.helpGroup())
  const lines = [...groups].flatMap(([heading, commands]) => [
    heading,
    ...commands.map((each) => `  ${each.name().padEnd(11)} ${each.summary()}`),
  ])
  const flags = helper.visibleOptions(command).map(({ long }) => long)
  return [
    `${command.description()} Usage: orderctl ${command.usage()}`,
    ...lines,
    `Flags: ${flags.join(', ')}. Topics, guides: orderctl help`,
    'Try: orderctl create --product GAME-US:25 --wallet USD --profile sandbox',
    '',
  ].join('\n')
}

export const addHelpCommand = (program: Command, context: Context): void => {
  const guide = program.createOption('--guide <name>', `print a guide: ${guides.join(', ')}`)
  Object.assign(guide, { completes: guides.join('|') })
  addHelp(program.command('help'), {
    examples: ['orderctl help create', 'orderctl help --guide tasks', 'orderctl help json get'],
  })
    .summary('Show help on a command or a topic')
    .helpGroup('Accounts and tools:')
    .description('Show the help of a command, or a topic.')
    .argument('[topic...]', `a command, or one of ${topics.join(', ')}`)
    .option('--all', 'print all of it')
    .option('--schema', 'print the JSON Schema of what --json prints')
    .addOption(guide)
    .helpOption('-h, --help', 'print this help')
    .action(async (words: string[], { schema, guide: name }: { schema?: boolean; guide?: string }) => {
      if (name !== undefined) return await showGuide(context, name)
      const [first, ...others] = words
      if (schema || (first === 'json' && others.length > 0)) {
        const { showFields } = await import('../commands/help/topics.ts')
        const { loadAllResults } = await import('./all-results.ts')
        const command = (first === 'json' ? others : words).join(' ')
        return showFields(context, command, schema === true, await loadAllResults())
      }
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
      if (words.length === 0)
        context.stdout.write(
          `Topics: ${topics.join(', ')}\nGuides, such as orderctl help --guide tasks: orderctl help --help lists them\n`,
        )
      if (isTopic || command !== undefined) return
      const { unknownTopic } = await import('./usage-error.ts')
      throw unknownTopic(program, words, topics)
    })
}

const showGuide = async (context: Context, name: string): Promise<void> => {
  if (!guides.includes(name))
    throw new Failure('usage', `no guide '${name}'`, {
      field: '--guide',
      fix: () => 'orderctl help --guide tasks',
      advice: `Guides: ${guides.join(', ')}`,
    })
  const { printGuide } = await import('../commands/help/topics.ts')
  printGuide(context, name)
}
