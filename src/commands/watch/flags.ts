// The flags and help of `orderctl watch`.
import { states } from '../../contract/states.ts'
import {
  type CommandEntry,
  examples,
  orderForms,
  reveal,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

export const watchCommand: CommandEntry = {
  name: 'watch',
  summary: 'wait until orders are final',
  operand: ['<order...>', orderForms],
  fill: (command, context, setExit) => {
    command
      .description(
        'Waits until every order is final and says each change. The exit code is that of the worst end: ' +
          '0 successful, 8 partial, 7 failed or rejected.',
      )
      .option('--for <state>', `wait for this state, or one past it: ${Object.keys(states).join(', ')}`)
      .option('--interval <duration>', 'ask this often (default: 1s, growing to 10s while nothing happens)')
      .option(...reveal)
    withBasics(withOutput(withSession(command)))
      .addHelpText(
        ...examples('orderctl watch ord_1a2b3c', 'orderctl watch ord_1a2b3c ord_4d5e6f --timeout 10m --json'),
      )
      .addHelpText(
        'after',
        '\nHere --timeout is the whole time; without it, watch waits as long as it takes.',
      )
      .action(async (orders: string[], flags) => {
        const { watch } = await import('./run.ts')
        setExit(await watch(context, orders, flags))
      })
  },
}
