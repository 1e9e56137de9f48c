// The command `orderctl get`: its arguments, flags and help.
import { noInput, orderFlags, pickedOrderOrBatchForms, positiveCount, reveal } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const spec = defineSpec({
  guide: 'tasks',
  description:
    'Show orders: state, products, invoice, rates and times. Codes are hidden unless you pass --reveal.',
  args: { orders: { form: '[order...]', help: pickedOrderOrBatchForms } },
  flags: {
    explain: {
      help: 'print a text for a ticket: what happened, what it cost, who saw codes, what to do next',
    },
    card: {
      ...positiveCount,
      help: 'with --explain, only this card, numbered as in redeem',
      needs: { oneOf: ['explain'] },
    },
    copy: { help: 'with --explain, also copy the text to the clipboard', needs: { oneOf: ['explain'] } },
    reveal,
    noInput,
    ...orderFlags('id,invoice.total'),
  },
  examples: [
    'orderctl get ord_1a2b3c',
    'orderctl get ord_1a2b3c --json --fields state,invoice.total',
    'orderctl get ord_1a2b3c --explain --card 2 --copy',
  ],
})

export type GetOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).get)
