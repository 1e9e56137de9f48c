// The command `orderctl get`: its arguments, flags and help.
import { noInput, orderFlags, pickedOrderOrBatchForms, reveal } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const spec = defineSpec({
  guide: 'tasks',
  description:
    'Show orders: state, products, invoice, rates and times. Codes are hidden unless you pass --reveal.',
  args: { orders: { form: '[order...]', help: pickedOrderOrBatchForms } },
  flags: { reveal, noInput, ...orderFlags('id,total') },
  examples: ['orderctl get ord_1a2b3c', 'orderctl get ord_1a2b3c --json --fields state,total'],
})

export type GetOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).get)
