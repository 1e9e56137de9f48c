// The flags and help of `orderctl confirm`.
import {
  type CommandEntry,
  examples,
  noInput,
  orderForms,
  reveal,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

export const confirmCommand: CommandEntry = {
  name: 'confirm',
  summary: 'confirm an order: spends',
  operand: ['<order>', orderForms],
  fill: (command, context, setExit) => {
    command
      .description(
        'Confirm an order and spend its total, once. On a terminal, orderctl shows the total and prompts. ' +
          'In a script (stdin is no terminal), the command itself is the consent.',
      )
      .option('-y, --yes', 'confirm without a prompt')
      .option(...noInput)
      .option('--max-total <amount>', 'do not confirm what costs more, in the wallet currency')
      .option('--min-validity <duration>', 'do not confirm what expires sooner')
      .option('--allow-duplicate', 'confirm it although another order has its reference')
      .option('--accept-changes', 'confirm it although it differs from the order that was placed')
      .option('--idempotent', 'succeed (exit 0) if the order is already confirmed')
      .option('--watch', 'then wait until it is final')
      .option(...reveal)
    withBasics(withOutput(withSession(command)))
      .addHelpText(
        ...examples(
          'orderctl confirm ord_1a2b3c',
          'orderctl confirm ord_1a2b3c --yes --max-total 100 --watch',
        ),
      )
      .action(async (order: string, flags) => {
        const { confirm } = await import('./run.ts')
        setExit(await confirm(context, order, flags))
      })
  },
}
