// The command `orderctl watch`: its arguments, flags and help.

import { noInput, oneOfWords, orderFlags, pickedOrderOrBatchForms, reveal, wait } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'
import { stateNames } from '../../contract/states.ts'
import { parseDuration } from '../../contract/time.ts'

const shortestIntervalMs = 100

const spec = defineSpec({
  guide: 'tasks',
  description:
    'Wait until every order is final and print each change. The exit code follows the worst result: ' +
    '0 if all cards were delivered, 8 if cards are missing or duplicates, 7 if an order failed or was rejected, 10 if one expired.',
  args: { orders: { form: '[order...]', help: pickedOrderOrBatchForms } },
  flags: {
    for: {
      ...oneOfWords(stateNames),
      takes: '<state>',
      help: `wait for this state or a later one: ${stateNames.join(', ')}`,
      completes: 'service-states',
    },
    wait,
    interval: {
      takes: '<duration>',
      help: 'time between requests (default: 1s, up to 10s while nothing changes)',
      parse: (text) => {
        const ms = parseDuration(text)
        return ms !== undefined && ms >= shortestIntervalMs ? ms : undefined
      },
      allowed: `a duration of at least ${shortestIntervalMs}ms, such as 500ms or 2s`,
    },
    reveal,
    noInput,
    ...orderFlags('id,total'),
  },
  examples: ['orderctl watch ord_1a2b3c', 'orderctl watch ord_1a2b3c ord_4d5e6f --wait 10m --json'],
})

export type WatchOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).watch)
