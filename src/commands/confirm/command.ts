// The command `orderctl confirm`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

export const confirmCommand: CommandEntry = {
  name: 'confirm',
  summary: 'Confirm an order and spend its total',
  group: 'Orders',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples(
          'orderctl confirm ord_1a2b3c',
          'orderctl confirm ord_1a2b3c --yes --max-total 100 --watch',
        ),
      )
      .action(async (order, flags) => {
        const { confirm } = await import('./run.ts')
        setExit(await confirm(context, order, flags))
      })
  },
}
