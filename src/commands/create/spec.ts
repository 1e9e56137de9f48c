// The command `orderctl create`: its arguments, flags and help.
import {
  acceptWebhook,
  maxTotal,
  noInput,
  orderFlags,
  products,
  retryFor,
  reveal,
  wallet,
  watchWait,
} from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const printsJson = { quiet: 'prints JSON' } as const

const spec = defineSpec({
  guide: 'tasks',
  description:
    'Place an order from flags or an order file (- is standard input). Flags override the file. ' +
    'orderctl checks the whole order before it sends anything. ' +
    'On a terminal, it prompts for missing values.',
  args: { file: { form: '[file]', nameInErrors: 'a file' } },
  flags: {
    product: products,
    again: {
      takes: '<order>',
      help: 'order the products of this order again',
      excludes: { product: 'takes the products of the order', file: 'takes the products of the order' },
    },
    missing: {
      help: 'with --again: only the cards that the order did not deliver',
      needs: { oneOf: ['again'] },
    },
    wallet,
    reference: { takes: '<text>', help: 'your reference (required in a file, else generated)' },
    webhookUrl: { takes: '<url>', help: 'address to which the service delivers the order' },
    confirm: {
      help: 'confirm the order at once and spend its total',
      act: 'spend money from a real account',
    },
    watch: {
      help: 'then wait until it is final; prompt without --confirm',
      act: 'spend money from a real account',
    },
    wait: watchWait,
    maxTotal: { ...maxTotal, needs: { oneOf: ['confirm', 'watch'] } },
    acceptWebhook: { ...acceptWebhook, needs: { oneOf: ['confirm'] } },
    idempotent: {
      help: 'continue an earlier order of this reference; buy once',
      needs: { oneOf: ['reference', 'file'], because: 'finds the earlier order by its reference' },
      excludes: { allowDuplicate: '' },
    },
    retryFor,
    allowDuplicate: { advanced: true, help: 'place the order even if its reference is in use' },
    noInput,
    dryRun: { help: 'check the order and print the request; send nothing', excludes: printsJson },
    skeleton: { help: 'print an example of an order file', excludes: printsJson },
    schema: { advanced: true, help: 'print the JSON Schema of an order file', excludes: printsJson },
    reveal,
    ...orderFlags('id,total'),
  },
  examples: [
    'orderctl create',
    'orderctl create --product GAME-US:25x2 --wallet USD --confirm --watch',
    'orderctl create order.json --json',
  ],
})

export type CreateOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => {
  const { create } = await import('./run.ts')
  return create
})
