// The command `orderctl confirm`: its arguments, flags and help.
import {
  acceptWebhook,
  duration,
  maxTotal,
  noInput,
  orderFlags,
  pickedOrderForms,
  retryFor,
  reveal,
  watchWait,
} from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const spec = defineSpec({
  guide: 'tasks',
  act: 'spend money from a real account',
  description:
    'Confirm an order and spend its total, once. On a terminal, orderctl shows the total and prompts. ' +
    'In a script (stdin is not a terminal), the command itself is the consent.',
  args: { order: { form: '[order]', help: pickedOrderForms } },
  flags: {
    yes: { short: '-y', help: 'confirm without a prompt' },
    noInput,
    maxTotal,
    minValidity: { ...duration, advanced: true, help: 'do not confirm an order that expires sooner' },
    allowDuplicate: { advanced: true, help: 'confirm the order even if another order has its reference' },
    acceptChanges: {
      advanced: true,
      help: 'confirm the order even if it differs from the order that was placed (not for an order of a batch)',
    },
    acceptWebhook,
    idempotent: { help: 'succeed (exit 0) if the order is already confirmed' },
    retryFor,
    watch: { help: 'then wait until the order is final' },
    wait: watchWait,
    reveal,
    ...orderFlags('id,total'),
  },
  examples: ['orderctl confirm ord_1a2b3c', 'orderctl confirm ord_1a2b3c --yes --max-total 100 --watch'],
})

export type ConfirmOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).confirm)
