// The command `orderctl reconcile`: its arguments, flags and help.
import { noInput, oneOfWords, orderFlags, orderOrBatchForms } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const spec = defineSpec(
  {
    guide: 'safety',
    description:
      'Ask the service about every unsettled order of this account, or about one order, and print the next step. ' +
      'It never spends. It ends with an error if an order cannot be checked, and with exit code 6 if a confirm may have spent.',
    args: { order: { form: '[order]', help: orderOrBatchForms, nameInErrors: 'an order' } },
    flags: {
      settle: {
        ...oneOfWords(['spent', 'not-spent']),
        help: 'record whether the order was paid, if that cannot be proven; send nothing',
        needs: { oneOf: ['order'] },
        act: 'settle an order',
      },
      reason: {
        takes: '<text>',
        help: 'how you know; recorded with your name',
        parse: (text) => (text.trim() === '' ? undefined : text),
        allowed: 'a text that is not empty',
        needs: { oneOf: ['settle'] },
      },
      noInput,
      ...orderFlags('id,state,next'),
    },
    examples: ['orderctl reconcile', 'orderctl reconcile @last'],
  },
  (_, { isGiven }) =>
    isGiven('settle') && !isGiven('reason') ? [{ text: '--settle needs --reason', field: '--reason' }] : [],
)

export type ReconcileOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).reconcile)
