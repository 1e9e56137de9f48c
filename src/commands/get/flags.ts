// The flags and help of `orderctl get`.
import {
  type CommandEntry,
  examples,
  orderForms,
  reveal,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

export const getCommand: CommandEntry = {
  name: 'get',
  summary: 'show orders as they stand',
  operand: ['<order...>', orderForms],
  fill: (command, context, setExit) => {
    command
      .description(
        'Shows orders: state, products, invoice, rates, times. Codes are masked unless --reveal is given.',
      )
      .option('--explain', 'say in words what happened, what it cost, and what to do next')
      .option(...reveal)
    withBasics(withOutput(withSession(command)))
      .addHelpText(
        ...examples(
          'orderctl get ord_1a2b3c',
          'orderctl get ord_1a2b3c --json --fields state,invoice.total',
          'orderctl get ord_1a2b3c --explain',
        ),
      )
      .action(async (orders: string[], flags) => {
        const { get } = await import('./run.ts')
        setExit(await get(context, orders, flags))
      })
  },
}
