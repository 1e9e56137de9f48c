// The flags and help of `orderctl sandbox`.
import { type CommandEntry, examples, withBasics } from '../shared/flags.ts'

export const sandboxCommand: CommandEntry = {
  name: 'sandbox',
  summary: 'what the built-in service sells and holds',
  fill: (command, context, setExit) => {
    withBasics(
      command.description(
        'Shows what the built-in service sells and holds. Orders there are for trying: no money moves.',
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
        .summary('back to its first day')
        .description('Puts the sandbox back to its first day.'),
    )
      .addHelpText(...examples('orderctl sandbox reset', 'orderctl sandbox reset --json'))
      .action(async (flags) => {
        const { resetSandbox } = await import('./run.ts')
        setExit(await resetSandbox(context, flags))
      })
    withBasics(
      command
        .command('advance')
        .summary('put its clock forward')
        .description('Puts the clock of the sandbox forward: 30s, 11m, 2h.')
        .argument('<duration>'),
    )
      .addHelpText(...examples('orderctl sandbox advance 11m', 'orderctl sandbox advance 30s --json'))
      .action(async (duration: string, flags) => {
        const { advanceSandbox } = await import('./run.ts')
        setExit(await advanceSandbox(context, duration, flags))
      })
  },
}
