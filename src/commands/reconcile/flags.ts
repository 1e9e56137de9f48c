// The flags and help of `orderctl reconcile`.
import {
  type CommandEntry,
  examples,
  orderForms,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

export const reconcileCommand: CommandEntry = {
  name: 'reconcile',
  summary: 'settle what is open or unknown',
  operand: ['[order]', orderForms],
  fill: (command, context, setExit) => {
    command
      .description(
        'Asks the service about every order from here whose end is not known, or about one; says what is known now ' +
          'and what is for you to decide. Never spends. Exit code 6 if a confirm is not proven to have failed.',
      )
      .option('--settle <spent|not-spent>', 'settle by hand what cannot be proven; makes no call')
      .option('--reason <text>', 'why you know it; recorded with your name')
    withBasics(withOutput(withSession(command), 'orderId,state,next'))
      .addHelpText(...examples('orderctl reconcile', 'orderctl reconcile @last'))
      .action(async (order: string | undefined, flags) => {
        const { reconcile } = await import('./run.ts')
        setExit(await reconcile(context, order, flags))
      })
  },
}
