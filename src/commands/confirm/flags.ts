// The flags of `orderctl confirm`.
import type { Command } from '@commander-js/extra-typings'
import {
  type FlagsOf,
  noInputFlag,
  pickedOrderForms,
  revealFlag,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

export const defineFlags = (command: Command) => {
  const own = command
    .description(
      'Confirm an order and spend its total, once. On a terminal, orderctl shows the total and prompts. ' +
        'In a script (stdin is no terminal), the command itself is the consent.',
    )
    .argument('[order]', pickedOrderForms)
    .option('-y, --yes', 'confirm without a prompt')
    .option(...noInputFlag)
    .option('--max-total <amount>', 'do not confirm an order whose total is higher (in the wallet currency)')
    .option('--min-validity <duration>', 'do not confirm an order that expires sooner')
    .option('--allow-duplicate', 'confirm the order even if another order has its reference')
    .option(
      '--accept-changes',
      'confirm the order even if it differs from the order that was placed (not for an order of a batch)',
    )
    .option('--idempotent', 'succeed (exit 0) if the order is already confirmed')
    .option('--watch', 'then wait until the order is final')
    .option(...revealFlag)
  return withBasics(withOutput(withSession(own)))
}

export type ConfirmFlags = FlagsOf<typeof defineFlags>
