// The command `orderctl find`: its flags and help.
import { account, basics, noInput, output, timeoutOfGet } from '../shared/flags.ts'
import { moment } from '../shared/read-moment.ts'
import { defineCommand, defineSpec, type Given, type OptionsOf } from '../shared/spec.ts'

/** The first moment, and how the user wrote it. */
const parseStart = (text: string, given: Given) => {
  const span = moment.parse(text, given)
  if (span === undefined) return undefined
  if (span.from > given.context.clock.now()) return given.problem('--since is in the future')
  return { text, from: span.from }
}

const spec = defineSpec({
  description:
    'Find the order that a code, PIN, serial number or link is from. orderctl reads the value from a prompt ' +
    'or from standard input, and never prints or stores it. It asks the service about the orders in the journal, ' +
    'the newest first. The exit code is 3 if no card has the value.',
  flags: {
    since: {
      ...moment,
      takes: '<when>',
      help: 'first day or time of the orders: 2026-11-01, or an age such as 30d (default: 90d)',
      parse: parseStart,
    },
    all: { help: 'do not stop at the first order with a match' },
    noInput,
    ...account,
    timeout: timeoutOfGet,
    ...output('matches.orderId,matches.card', 'the ids of the orders'),
    ...basics,
  },
  examples: ['orderctl find', 'orderctl find --since 2026-01-01 --all', 'orderctl find --json < code.txt'],
  notes: `
Upper and lower case, spaces and dashes do not matter. A value of fewer than 8
letters and digits may be on several cards, so orderctl then asks about all
orders of the period.

The journal records who found which order, but not the value. To see it, run
orderctl list --reveals.
`,
  // They may be a code.
  acceptsAnyWords: true,
})

export type FindOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async (context, options, { rest }) =>
  (await import('./run.ts')).find(context, options, rest),
)
