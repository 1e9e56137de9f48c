// The command `orderctl mcp`: its flags and help.
import { maxTotal, oneOfWords, profile } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const spec = defineSpec({
  guide: 'assistants',
  description:
    'Serve orders to an assistant, over the Model Context Protocol (MCP) on standard input and output. ' +
    'An assistant starts it itself. It can read and prepare orders, but never confirm one, and it never sees a code.',
  flags: {
    profile,
    allow: {
      ...oneOfWords(['read', 'create']),
      help: 'create: let the assistant place orders, which cost nothing until a person confirms them (default: read)',
      default: 'read',
    },
    maxTotal: {
      ...maxTotal,
      help: 'do not offer to confirm an order whose total is higher (in the wallet currency)',
      needs: { oneOf: ['allow'] },
    },
  },
  examples: ['orderctl mcp --profile sandbox', 'orderctl mcp --profile shop --allow create --max-total 100'],
})

export type McpOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).serve)
