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
    .option(
      '--explain',
      'print a text for a ticket: what happened, what it cost, who saw codes, what to do next',
    )
    .option('--card <number>', 'with --explain, only this card, counted as redeem lists the cards')
    .option('--copy', 'with --explain, also copy the text to the clipboard')
    .option(...revealFlag)
    .option(...noInputFlag)
  return withBasics(withOutput(withSession(own)))
}

export type GetFlags = FlagsOf<typeof defineFlags>
