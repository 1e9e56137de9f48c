// The flags of `orderctl find`.
import type { Command } from '@commander-js/extra-typings'
import { type FlagsOf, noInputFlag, withBasics, withOutput, withSession } from '../shared/flags.ts'

export const defineFlags = (command: Command) => {
  const own = command
    .description(
      'Find the order that a code, PIN, serial number or link is from. orderctl reads the value from a prompt ' +
        'or from standard input, and never prints or stores it. It asks the service about the orders in the journal, ' +
        'the newest first. The exit code is 3 if no card has the value.',
    )
    .option(
      '--since <when>',
      'first day or time of the orders: 2026-11-01, or an age such as 30d (default: 90d)',
    )
    .option('--all', 'do not stop at the first order with a match')
    .option(...noInputFlag)
  return withBasics(
    withOutput(
      withSession(own, 'time limit of one call (default: 30s)'),
      'matches.orderId,matches.card',
      'the ids of the orders',
    ),
  )
}

export type FindFlags = FlagsOf<typeof defineFlags>
