// The command `orderctl get`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

export const getCommand: CommandEntry = {
  name: 'get',
  summary: 'Show orders and their state',
  group: 'Orders',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples(
          'orderctl get ord_1a2b3c',
          'orderctl get ord_1a2b3c --json --fields state,invoice.total',
          'orderctl get ord_1a2b3c --explain --card 2 --copy',
        ),
      )
      .action(async (orders, flags) => {
        const { get } = await import('./run.ts')
        setExit(await get(context, orders, flags))
      })
  },
}
