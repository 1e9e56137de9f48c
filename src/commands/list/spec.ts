// The command `orderctl list`: its flags and help.

import { noInput, oneOfWords, output } from '../../cli/flags.ts'
import { recordFlags } from '../../cli/read-moment.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'
import { stateNames } from '../../contract/states.ts'
import { journalStates } from '../../journal/orders/standings.ts'

const spec = defineSpec({
  guide: 'tasks',
  description: 'List the orders in the journal, newest first. It reads only the journal.',
  flags: {
    state: {
      ...oneOfWords([...stateNames, ...journalStates]),
      takes: '<state>',
      help: 'only orders in this state, such as successful, failed, expired or unknown',
    },
    ...recordFlags('orders'),
    batch: { takes: '<batch>', help: 'only orders of this batch: its name or id' },
    profile: {
      takes: '<name>',
      help: 'only orders of this profile (default: all but the sandbox, or only the sandbox if it is in use)',
    },
    unfinished: { help: 'only orders that are not final, or whose outcome is unknown' },
    all: { help: 'also list attempts that never became an order' },
    csv: { help: 'print CSV: one line per order, with all columns', excludes: { json: '', quiet: '' } },
    noInput,
    ...output('id,state', 'ids'),
  },
  examples: [
    'orderctl list',
    'orderctl list --unfinished',
    'orderctl list --since 24h --json --fields id,state,total',
  ],
})

export type OrderListOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).list)
