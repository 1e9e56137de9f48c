// The command `orderctl report`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

const help = `
An order counts on the day on which its confirm was sent. CHARGED includes
FAILED, PARTIAL and OPEN, because the service does not report refunds. It does
not include UNKNOWN: orders for which the outcome of the confirm is unknown.

A reference prefix is the reference up to its first digit, without separators at
its end. The prefix of gifts-0042 is gifts.
`

export const reportCommand: CommandEntry = {
  name: 'report',
  summary: 'Report what was charged, by month, person or product',
  group: 'Orders',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples(
          'orderctl report',
          'orderctl report --since 2026-11 --until 2026-11 --by wallet --by person',
          'orderctl report --since 90d --by product --csv > products.csv',
          'orderctl report --by month --by profile --html report.html',
        ),
      )
      .addHelpText('after', help)
      .action(async (flags) => {
        const { report } = await import('./run.ts')
        setExit(await report(context, flags))
      })
  },
}
