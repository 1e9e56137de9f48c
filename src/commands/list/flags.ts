// The flags of `orderctl list`.
import type { Command } from '@commander-js/extra-typings'
import { type FlagsOf, noInputFlag, withBasics, withCalls, withOutput } from '../shared/flags.ts'

export const defineFlags = (command: Command) => {
  const own = command
    .description('List the orders in the journal, newest first. It calls the service only with --refresh.')
    .option(
      '--state <state>',
      'only orders in this state: a state of the service, or unknown, creating, not-sent, refused, lost, expired, not-spent',
    )
    .option('--since <time>', 'only orders since a date, a date and time, or an age such as 30d')
    .option('--reference <text>', 'only orders with this reference')
    .option('--batch <batch>', 'only orders of this batch: its name or id')
    .option('--profile <name>', 'only orders of this profile (default: all)')
    .option('--by <user>', 'only orders of this user: a database role or a login name')
    .option('--mine', 'only orders that you placed')
    .option('--unfinished', 'only orders that are not final, or whose outcome is unknown')
    .option('--all', 'also list attempts that never became an order: refused and not-sent')
    .option('--limit <count>', 'maximum number of orders (default: 30)')
    .option('--refresh', 'first update the orders that are not final')
    .option('--reveals', 'list the orders whose codes were shown or found, by whom and when')
    .option(...noInputFlag)
  return withBasics(withOutput(withCalls(own), 'orderId,state'))
}

export type ListFlags = FlagsOf<typeof defineFlags>
