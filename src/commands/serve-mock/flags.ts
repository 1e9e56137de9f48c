// The flags of `orderctl serve-mock`.
import type { Command } from '@commander-js/extra-typings'
import { collect, type FlagsOf } from '../shared/flags.ts'

export const defineFlags = (command: Command) =>
  command
    .description(
      'Run a mock of the order service on this machine, with every documented answer, webhooks and faults. ' +
        'It spends no real money. It sends nothing to other machines unless you pass --webhook-allow.',
    )
    .argument('[command...]')
    .usage('[flags] [--exec -- COMMAND...]')
    .option('--port <number>', 'port to listen on; 0 picks a free port (default: 4010; 0 with --exec)')
    .option('--host <address>', 'address to listen on; needs --api-key unless it is loopback', '127.0.0.1')
    .option(
      '--allow-host <host>',
      'also accept this name in the Host header, such as that of a proxy or container; can be repeated',
      collect,
    )
    .option('--api-key <key>', 'key that requests must send (default: sandbox)')
    .option('--catalogue <file>', 'JSON file of products, wallets and rates (default: built in)')
    .option('--state <file>', 'keep the state in this SQLite file (default: in memory)')
    .option('--seed <text>', 'generate the same ids and codes for the same orders (default: random)')
    .option('--rates <moving|fixed>', 'change the exchange rates each hour, or never', 'moving')
    .option('--processing-time <duration>', 'time from confirmation to the final state', '2s')
    .option('--latency <duration>', 'delay each operation: 200ms, or 50ms..200ms')
    .option('--redeem-shape <A|B>', 'use one form of redeem data for all products: A (cards) or B (PINs)')
    .option('--fault <fault>', 'make a request fail (see below); can be repeated', collect)
    .option(
      '--webhook-secret <secret>',
      'sign webhooks (Standard Webhooks): whsec_BASE64, or any text, which most receivers need as whsec_BASE64',
    )
    .option(
      '--webhook-allow <host>',
      'also allow webhooks to this host (default: only loopback); can be repeated',
      collect,
    )
    .option('--no-final-webhook', 'send webhooks only on confirmation, not at the final state')
    .option(
      '--exec',
      'run COMMAND with ORDERCTL_BASE_URL, ORDERCTL_API_KEY and a temporary ORDERCTL_STATE_DIR (unless you set this variable or --state), then exit with its exit code',
    )
    .option('--open', 'open the inspector in your browser')
    .option('--no-inspector', 'serve no inspector, and keep no requests and answers for it')
    .option('--json', 'log as JSON, one object per line; errors as one object')
    .option('--no-color', 'print without colour')
    .helpOption('-h, --help', 'print this help')

export type ServeMockFlags = FlagsOf<typeof defineFlags>
