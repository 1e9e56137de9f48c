// The command `orderctl find`: its flags and help.

import { account, noInput, output } from '../../cli/flags.ts'
import { moment } from '../../cli/read-moment.ts'
import { defineCommand, defineSpec, type Given, type OptionsOf } from '../../cli/spec.ts'
import { Failure } from '../../errors.ts'

/** Does not repeat the words, because they may be a code. */
const refuseWords = (words: readonly string[]): void => {
  if (words.length === 0) return
  if (words.every((word) => word.startsWith('--')))
    throw new Failure('usage', 'unknown flag; it is not repeated here, because it may contain a code', {
      fix: () => 'orderctl find --help',
    })
  const problem =
    'find takes no argument: the code would stay in the history of the shell, and other users could see it'
  throw new Failure('usage', problem, {
    advice: (suggest) =>
      `Type the code at the prompt of ${suggest`find`}, or read it from a file: ${suggest`find`} < code.txt`,
  })
}

const spec = defineSpec({
  guide: 'tasks',
  description:
    'Find the order that a code, PIN, serial number or link is from. orderctl reads the value from a prompt ' +
    'or from standard input, and never prints or stores it. It asks the service about the orders in the journal, ' +
    'the newest first. The exit code is 3 if no card has the value.',
  flags: {
    since: {
      ...moment,
      takes: '<when>',
      help: 'first day or time of the orders: 2026-11-01, or an age such as 30d (default: 90d)',
      // Returns the first moment, and the text as the user wrote it.
      parse: (text: string, given: Given) => {
        const from = moment.parse(text, given)?.from
        if (from === undefined) return undefined
        if (from > given.context.clock.now()) return given.problem('--since is in the future')
        return { text, from }
      },
    },
    lastFour: {
      takes: '<characters>',
      help: 'find the cards whose masked code, PIN or serial number ends in these four, such as 7Q2M',
      // Does not repeat the text, because it may be a code.
      parse: (text: string, { problem }: Given) => {
        if (/^[\p{L}\p{N}]{4}$/u.test(text)) return text
        return problem('--last-four takes the four letters or digits that a masked code shows')
      },
    },
    all: { help: 'do not stop at the first order with a match' },
    noInput,
    ...account,
    ...output('orders.id,orders.cards.number', 'the ids of the orders'),
  },
  examples: [
    'orderctl find',
    'orderctl find --since 2026-01-01 --all',
    'orderctl find --json < code.txt',
    'orderctl find --last-four 7Q2M',
  ],
  notes: `
Upper and lower case, spaces and dashes do not matter. A value of fewer than 8
letters and digits may be on several cards, so orderctl then asks about all
orders of the period.

The journal records who found which order, but not the value. To see it, run
orderctl reveals.
`,
  refuseWords,
})

export type FindOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).find)
