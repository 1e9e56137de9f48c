// The flags and help of `orderctl watch`.
import type { Command } from '@commander-js/extra-typings'
import { states } from '../../contract/states.ts'
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
      'Wait until every order is final and print each change. The exit code is that of the worst result: ' +
        '0 successful, 8 partial, 7 failed or rejected, 10 expired.',
    )
    .argument('<order...>', orderForms)
    .option('--for <state>', `wait for this state or a later one: ${Object.keys(states).join(', ')}`)
    .option('--interval <duration>', 'time between requests (default: 1s, up to 10s while nothing changes)')
    .option(...revealFlag)
  return withBasics(withOutput(withSession(own)))
}

export type WatchFlags = FlagsOf<typeof defineFlags>

export const watchCommand: CommandEntry = {
  name: 'watch',
  summary: 'Wait until orders are final',
  group: 'Orders',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples('orderctl watch ord_1a2b3c', 'orderctl watch ord_1a2b3c ord_4d5e6f --timeout 10m --json'),
      )
      .addHelpText(
        'after',
        '\nFor watch, --timeout limits the whole time. Without it, watch waits until every order is final.',
      )
      .action(async (orders, flags) => {
        const { watch } = await import('./run.ts')
        setExit(await watch(context, orders, flags))
      })
  },
}
