// The command `orderctl reconcile`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

export const reconcileCommand: CommandEntry = {
  name: 'reconcile',
  summary: 'Settle orders whose outcome is open or unknown',
  group: 'Orders',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(...examples('orderctl reconcile', 'orderctl reconcile @last'))
      .action(async (order, flags) => {
        const { reconcile } = await import('./run.ts')
        setExit(await reconcile(context, order, flags))
      })
  },
}
