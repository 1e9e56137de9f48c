// The flags of `orderctl reconcile`.
import type { Command } from '@commander-js/extra-typings'
import {
  type FlagsOf,
  noInputFlag,
  orderForms,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

export const defineFlags = (command: Command) => {
  const own = command
    .description(
      'Ask the service about every unsettled order of this account, or about one order, and print the next step. ' +
        'It never spends. It ends with an error if an order cannot be checked, and with exit code 6 if a confirm may have spent.',
    )
    .argument('[order]', orderForms)
    .option(
      '--settle <spent|not-spent>',
      'record whether the order was paid, if that cannot be proven; send nothing',
    )
    .option('--reason <text>', 'how you know; recorded with your name')
    .option(...noInputFlag)
  return withBasics(withOutput(withSession(own), 'orderId,state,next'))
}

export type ReconcileFlags = FlagsOf<typeof defineFlags>
