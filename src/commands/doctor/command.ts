// The command `orderctl doctor`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

export const doctorCommand: CommandEntry = {
  name: 'doctor',
  summary: 'Check this machine, and list the files of orderctl',
  group: 'Other',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples('orderctl doctor', 'orderctl doctor --json', 'orderctl doctor --full --timeout 20s'),
      )
      .action(async (flags) => {
        const { runDoctor } = await import('./run.ts')
        setExit(await runDoctor(context, flags))
      })
  },
}
