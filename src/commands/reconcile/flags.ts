// The flags of `orderctl reconcile`.
import type { Command } from '@commander-js/extra-typings'
import { type FlagsOf, orderForms, withBasics, withOutput, withSession } from '../shared/flags.ts'

export const defineFlags = (command: Command) => {
  const own = command
    .description(
      'Ask the service about every unsettled order of this account, or about one order, and say what to do next. ' +
        'Never spends. Exit code 6 if a confirm may still have spent.',
    )
    .argument('[order]', orderForms)
    .option('--settle <spent|not-spent>', 'settle by hand what cannot be proven; makes no call')
    .option('--reason <text>', 'how you know it; recorded with your name')
  return withBasics(withOutput(withSession(own), 'orderId,state,next'))
}

export type ReconcileFlags = FlagsOf<typeof defineFlags>
