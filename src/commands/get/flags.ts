// The flags of `orderctl get`.
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
      'Show orders: state, products, invoice, rates and times. Codes are hidden unless you pass --reveal.',
    )
    .argument('[order...]', pickedOrderForms)
    .option('--explain', 'explain what happened, what it cost, and what to do next')
    .option(...revealFlag)
    .option(...noInputFlag)
  return withBasics(withOutput(withSession(own)))
}

export type GetFlags = FlagsOf<typeof defineFlags>
