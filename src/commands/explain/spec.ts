// The command `orderctl explain`: its arguments, flags and help.
import { account, fieldsFlag, noInput, pickedOrderForms, positiveCount } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const spec = defineSpec({
  guide: 'tasks',
  description:
    'Print a text for a ticket: what happened to an order, what it cost, who saw its codes, and what to do next. ' +
    'The text contains no codes.',
  args: { order: { form: '[order]', help: pickedOrderForms } },
  flags: {
    card: { ...positiveCount, help: 'only this card, numbered as in redeem' },
    copy: { help: 'also copy the text to the clipboard' },
    noInput,
    ...account,
    fields: fieldsFlag('state,cards'),
  },
  examples: ['orderctl explain @last', 'orderctl explain ref:desk-8 --card 2 --copy'],
})

export type ExplainOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).explain)
