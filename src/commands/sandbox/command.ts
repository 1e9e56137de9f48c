// The command `orderctl sandbox`: its help, and what it runs.
import { type CommandEntry, examples, withBasics } from '../shared/flags.ts'

export const sandboxCommand: CommandEntry = {
  name: 'sandbox',
  summary: 'Show, reset or advance the built-in service',
  group: 'Other',
  define: (command, context, setExit) => {
    withBasics(
      command.description(
        'Show the products, wallets and orders of the built-in service. It uses no real money.',
      ),
    )
      .helpCommand(false)
      .addHelpText(...examples('orderctl sandbox', 'orderctl sandbox advance 11m', 'orderctl sandbox reset'))
      .action(async (flags) => {
        const { showSandbox } = await import('./run.ts')
        setExit(await showSandbox(context, flags))
      })
    withBasics(
      command
        .command('reset')
        .summary('Reset the sandbox')
        .description('Delete the orders of the sandbox and restore its wallets and stock.'),
    )
      .addHelpText(...examples('orderctl sandbox reset', 'orderctl sandbox reset --json'))
      .action(async (flags) => {
        const { resetSandbox } = await import('./run.ts')
        setExit(await resetSandbox(context, flags))
      })
    withBasics(
      command
        .command('advance')
        .summary("Advance the sandbox's clock")
        .description(
          "Advance the sandbox's clock by 30s, 11m, 2h, …, so that orders are processed or expire.",
        )
        .argument('<duration>'),
    )
      .addHelpText(...examples('orderctl sandbox advance 11m', 'orderctl sandbox advance 30s --json'))
      .action(async (duration, flags) => {
        const { advanceSandbox } = await import('./run.ts')
        setExit(await advanceSandbox(context, duration, flags))
      })
  },
}
