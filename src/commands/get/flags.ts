// The flags and help of `orderctl get`.
import type { Command } from '@commander-js/extra-typings'
import {
  type CommandEntry,
  examples,
  type FlagsOf,
  orderForms,
  revealFlag,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

const defineFlags = (command: Command) => {
  const own = command
    .description(
      'Show orders: state, products, invoice, rates and times. Codes are hidden unless you pass --reveal.',
    )
    .argument('<order...>', orderForms)
    .option('--explain', 'explain what happened, what it cost, and what to do next')
    .option(...revealFlag)
  return withBasics(withOutput(withSession(own)))
}

export type GetFlags = FlagsOf<typeof defineFlags>

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
          'orderctl get ord_1a2b3c --explain',
        ),
      )
      .action(async (orders, flags) => {
        const { get } = await import('./run.ts')
        setExit(await get(context, orders, flags))
      })
  },
}
