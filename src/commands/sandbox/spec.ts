// The command `orderctl sandbox`: its arguments, flags and help.
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const reset = defineSpec({
  summary: 'Reset the sandbox',
  description:
    'Delete the orders of the sandbox and restore its wallets and stock. orderctl reveals keeps its records, and new orders get the ids of the deleted orders again.',
  examples: ['orderctl sandbox reset', 'orderctl sandbox reset --json'],
})

const advance = defineSpec({
  summary: "Advance the sandbox's clock",
  description:
    "Advance the sandbox's clock by 30s, 11m or 2h, for example, so that orders are processed or expire.",
  args: { duration: { form: '<duration>' } },
  examples: ['orderctl sandbox advance 11m', 'orderctl sandbox advance 30s --json'],
})

const sandbox = defineSpec({
  guide: 'serve-mock',
  description: 'Show the products, wallets and orders of the built-in service. It uses no real money.',
  examples: ['orderctl sandbox', 'orderctl sandbox advance 11m', 'orderctl sandbox reset'],
})

export type SandboxOptions = OptionsOf<typeof sandbox>
export type AdvanceOptions = OptionsOf<typeof advance>

export const command = defineCommand(sandbox, async () => (await import('./run.ts')).showSandbox, {
  reset: defineCommand(reset, async () => (await import('./run.ts')).resetSandbox),
  advance: defineCommand(advance, async () => (await import('./run.ts')).advanceSandbox),
})
