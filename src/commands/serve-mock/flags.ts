// The flags and help of `orderctl serve-mock`.
import type { Command } from '@commander-js/extra-typings'
import { type CommandEntry, collect, examples, type FlagsOf } from '../shared/flags.ts'

const faultHelp = `
A fault is written OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]. Operations: create, confirm, get, any.
Without COUNT or PERCENT, only the next matching request fails.
  status=503        answer with this status (or status=503,BODY); the work is not done
  html, redirect    answer like a proxy; the work is not done
  reset-before      reset the connection; the work is not done
  reset-after       do the work, then reset the connection: the answer is lost
  empty             do the work, then close the connection without a byte
  truncate          do the work, send half of the announced bytes
  bad-json          do the work, send half of the JSON as if it were complete
  garbage           do the work, send meaningless bytes
  drip=100ms        do the work, send one byte every 100 ms
  content-type=T    do the work, send the type text/plain, or T
  latency=2s        wait first; can be combined with another fault
Examples: get:status=503x3   any:latency=2s@50%   create:truncate

While it runs, GET /_mock/ lists what you can see and set: state, clock, outcomes, webhooks, faults.
Products whose SKU begins with TEST- trigger rare outcomes. Full guide: docs/serve-mock.md
`

const defineFlags = (command: Command) =>
  command
    .description(
      'Run the order service on this machine, with every documented answer and refusal, webhooks and faults. ' +
        'It uses no real money and sends nothing to other machines.',
    )
    .argument('[command...]')
    .usage('[flags] [--exec -- COMMAND...]')
    .option('--port <number>', 'port to listen on; 0 picks a free port (default: 4010; 0 with --exec)')
    .option('--host <address>', 'address to listen on; needs --api-key unless it is loopback', '127.0.0.1')
    .option('--api-key <key>', 'key that requests must send (default: "sandbox")')
    .option('--catalogue <file>', 'JSON file of products, wallets and rates (default: built in)')
    .option('--state <file>', 'keep the state in this SQLite file (default: in memory)')
    .option('--seed <text>', 'generate the same ids and codes for the same orders')
    .option('--processing-time <duration>', 'time from confirmation to outcome', '2s')
    .option('--latency <duration>', 'delay each operation: 200ms, or 50ms..200ms')
    .option('--redeem-shape <A|B>', 'use one form of redeem data for every product')
    .option('--fault <fault>', 'make a request fail, see below; can be repeated', collect)
    .option('--webhook-secret <secret>', 'sign webhooks (Standard Webhooks): whsec_BASE64 or any text')
    .option(
      '--webhook-allow <host>',
      'also allow webhooks to this host (default: only loopback); can be repeated',
      collect,
    )
    .option('--no-final-webhook', 'send webhooks only on confirmation, not for the final state')
    .option(
      '--exec',
      'run COMMAND with ORDERCTL_BASE_URL and ORDERCTL_API_KEY set, then exit with its exit code',
    )
    .option('--json', 'log as JSON, one object a line; errors as one object')
    .option('--no-color', 'print without colour')
    .helpOption('-h, --help', 'print this help')

export type ServeMockFlags = FlagsOf<typeof defineFlags>

export const serveMockCommand: CommandEntry = {
  name: 'serve-mock',
  summary: 'Run the order service locally, for tests',
  group: 'Testing',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples(
          'orderctl serve-mock',
          'orderctl serve-mock --state shop.db --seed demo --fault confirm:reset-after',
          'orderctl serve-mock --exec -- npm test',
        ),
      )
      .addHelpText('after', faultHelp)
      .action(async (command, flags) => {
        const { readServeMockOptions } = await import('./options.ts')
        const { serveMock } = await import('./run.ts')
        setExit(await serveMock(context, readServeMockOptions(flags, command)))
      })
  },
}
