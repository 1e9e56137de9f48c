// The command `orderctl list`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

export const listCommand: CommandEntry = {
  name: 'list',
  summary: 'List the orders in the journal',
  group: 'Orders',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples(
          'orderctl list',
          'orderctl list --unfinished --refresh',
          'orderctl list --all --since 24h',
          'orderctl list --since 2026-11-01',
          'orderctl list --since 24h --json --fields orderId,state,total',
        ),
      )
      .action(async (flags) => {
        const { list } = await import('./run.ts')
        setExit(await list(context, flags))
      })
  },
}
