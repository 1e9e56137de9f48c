// Help: the list of all commands, the help of one, and the topics.
import { type Command, Help, type Option } from 'commander'
import type { Context } from '../context.ts'

// 'sandbox' is also a command. `help sandbox` prints the topic first.
export const topics = ['exit-codes', 'environment', 'order-file', 'sandbox', 'json', 'safety']

/** The list of all commands fits on a terminal of 80 x 24, with the prompt below it. All other help has commander's form. */
export const formatHelp = (command: Command, helper: Help): string => {
  if (command.parent !== null) return Help.prototype.formatHelp.call(helper, command, helper)
  const groups = Map.groupBy(helper.visibleCommands(command), (each) => each.helpGroup())
  const lines = [...groups].flatMap(([heading, commands]) => [
    heading,
    ...commands
      .filter((each) => each.name() !== 'help')
      .map((each) => `  ${each.name().padEnd(11)} ${each.summary()}`),
  ])
  const flags = helper.visibleOptions(command).map(({ long }) => long)
  return [
    `${command.description()} Usage: orderctl ${command.usage()}`,
    ...lines,
    `Flags: ${flags.join(', ')}. Topics: orderctl help`,
    'Try: orderctl create --product GAME-US:25 --wallet USD --profile sandbox',
    '',
  ].join('\n')
}

/** A default without the quotes that commander prints around a text. */
export const optionDescription = (option: Option): string =>
  new Help().optionDescription(option).replace(/\(default: "([^"]*)"\)$/, '(default: $1)')

export const addHelpCommand = (program: Command, context: Context): void => {
  program
    .command('help')
    .summary('Show help on a command or a topic')
    .helpGroup('Accounts and tools:')
    .description('Show the help of a command, or a topic.')
    .argument('[topic...]', `a command, or one of ${topics.join(', ')}`)
    .addHelpText('after', '\nExamples:\n  orderctl help create\n  orderctl help safety')
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
      if (words.length === 0) context.stdout.write(`Topics: ${topics.join(', ')}\n`)
      if (isTopic || command !== undefined) return
      const { unknownTopic } = await import('./usage-error.ts')
      throw unknownTopic(program, words, topics)
    })
}
