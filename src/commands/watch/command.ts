// The command `orderctl watch`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

export const watchCommand: CommandEntry = {
  name: 'watch',
  summary: 'Wait until orders are final',
  group: 'Orders',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples('orderctl watch ord_1a2b3c', 'orderctl watch ord_1a2b3c ord_4d5e6f --timeout 10m --json'),
      )
      .action(async (orders, flags) => {
        const { watch } = await import('./run.ts')
        setExit(await watch(context, orders, flags))
      })
  },
}
