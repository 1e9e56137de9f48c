// The flags and help of `orderctl list`.
import { type CommandEntry, examples, withBasics, withCalls, withOutput } from '../shared/flags.ts'

export const listCommand: CommandEntry = {
  name: 'list',
  summary: 'what was ordered from here',
  fill: (command, context, setExit) => {
    command
      .description(
        'Lists what was ordered from this machine, newest first, as its journal has it; no call is made without --refresh.',
      )
      .option(
        '--state <state>',
        'in this state: one of the service, or unknown, unanswered, expired, refused, not-sent',
      )
      .option('--since <duration>', 'placed within this time: 2h')
      .option('--reference <text>', 'with this reference')
      .option('--profile <name>', 'of this account (default: of all)')
      .option('--unfinished', 'created, unknown, or not final yet')
      .option('--limit <count>', 'this many at most (default: 30)')
      .option('--refresh', 'fetch what is not final first')
      .option('--reveals', 'list whose codes were shown, by whom and when')
    withBasics(withOutput(withCalls(command), 'orderId,state'))
      .addHelpText(
        ...examples(
          'orderctl list',
          'orderctl list --unfinished --refresh',
          'orderctl list --since 24h --json --fields orderId,state,total',
        ),
      )
      .action(async (flags) => {
        const { list } = await import('./run.ts')
        setExit(await list(context, flags))
      })
  },
}
