// The flags of `orderctl watch`.
import type { Command } from '@commander-js/extra-typings'
import { states } from '../../contract/states.ts'
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
      'Wait until every order is final and print each change. The exit code is that of the worst result: ' +
        '0 successful, 8 partial, 7 failed or rejected, 10 expired.',
    )
    .argument('[order...]', pickedOrderForms)
    .option('--for <state>', `wait for this state or a later one: ${Object.keys(states).join(', ')}`)
    .option('--interval <duration>', 'time between requests (default: 1s, up to 10s while nothing changes)')
    .option(...revealFlag)
    .option(...noInputFlag)
  return withBasics(withOutput(withSession(own, 'time limit of the whole watch (default: none)')))
}

export type WatchFlags = FlagsOf<typeof defineFlags>
