// The command `orderctl listen`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags, defineReplayFlags } from './flags.ts'

export const listenCommand: CommandEntry = {
  name: 'listen',
  summary: 'Receive webhooks, and forward them',
  group: 'Orders',
  define: (command, context, setExit) => {
    defineFlags(command)
      .helpCommand(false)
      .addHelpText(
        ...examples('orderctl listen --forward-to http://localhost:3000/orders --secret-stdin < secret.txt'),
      )
      .action(async (flags) => {
        const { listen } = await import('./run.ts')
        setExit(await listen(context, flags))
      })
    defineReplayFlags(command.command('replay'))
      .addHelpText(
        ...examples(
          'orderctl listen replay --forward-to http://localhost:3000/orders',
          'orderctl listen replay --since 2h --forward-to http://localhost:3000/orders --json',
        ),
      )
      .action(async (flags) => {
        const { replay } = await import('./replay.ts')
        setExit(await replay(context, flags))
      })
  },
}
