// The command `orderctl create`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

export const createCommand: CommandEntry = {
  name: 'create',
  summary: 'Place an order from flags, a file or the wizard',
  group: 'Orders',
  define: (command, context, setExit, runWords) => {
    defineFlags(command)
      .addHelpText(
        ...examples(
          'orderctl create',
          'orderctl create --product GAME-US:25x2 --wallet USD --confirm --watch',
          'orderctl create order.json --json',
          'orderctl create --again @last --missing --watch',
        ),
      )
      .action(async (file, flags) => {
        const { create } = await import('./run.ts')
        const result = await create(context, file, flags)
        setExit(typeof result === 'number' ? result : await runWords(result.words))
      })
  },
}
