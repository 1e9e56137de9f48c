// serve-mock: its flags and help.
import { type CommandEntry, collect } from '../shared/flags.ts'

export const serveMockCommand: CommandEntry = {
  name: 'serve-mock',
  summary: 'run the order service on this machine, for trying and for tests',
  operand: ['[command...]'],
  fill: (command, context, setExit) => {
    command
      .description(
        'Runs the whole order service on this machine: every documented answer and refusal, webhooks, ' +
          'faults on demand. No money moves, nothing leaves the machine.',
      )
      .usage('[flags] [--exec -- COMMAND...]')
      .option('--port <number>', 'port to listen on; 0 picks a free one (default: 4010; 0 with --exec)')
      .option(
        '--host <address>',
        'address to listen on; other than loopback only with --api-key',
        '127.0.0.1',
      )
      .option('--api-key <key>', 'the key that requests must show (default: "sandbox")')
      .option('--catalogue <file>', 'products, wallets and rates, as JSON (default: built in)')
      .option('--state <file>', 'keep all state in this SQLite file (default: in memory)')
      .option('--seed <text>', 'the same seed and orders give the same ids and codes')
      .option('--processing-time <duration>', 'from confirmation to outcome', '2s')
      .option('--latency <duration>', 'make operations this slow: 200ms, or 50ms..200ms')
      .option('--redeem-shape <A|B>', 'one shape of redeem data for every product')
      .option('--fault <fault>', 'let a request go wrong, see below; may be repeated', collect)
      .option('--webhook-secret <secret>', 'sign webhooks (Standard Webhooks): whsec_BASE64 or any text')
      .option(
        '--webhook-allow <host>',
        'let webhooks go to this host, beside loopback; may be repeated',
        collect,
      )
      .option('--no-final-webhook', 'send webhooks on confirmation alone, not at the final state')
      .option(
        '--exec',
        'run COMMAND with ORDERCTL_BASE_URL and ORDERCTL_API_KEY set, then stop with its exit code',
      )
      .option('--json', 'log as JSON, one object a line; errors as one object')
      .option('--no-color', 'print without colour')
      .helpOption('-h, --help', 'print this help')
      .addHelpText('before', examples)
      .addHelpText('after', faultHelp)
      .action(async (command: string[], flags) => {
        const { readServeMockFlags } = await import('./options.ts')
        const { serveMock } = await import('./run.ts')
        setExit(await serveMock(context, readServeMockFlags(flags, command)))
      })
  },
}

const examples = `Examples:
  orderctl serve-mock
  orderctl serve-mock --state shop.db --seed demo --fault confirm:reset-after
  orderctl serve-mock --exec -- npm test
`

const faultHelp = `
Faults are written OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]. Operations: create, confirm, get, any.
Without a count, the next such request alone goes wrong.
  status=503        answer with a status (status=503,BODY too), work not done
  html, redirect    answer like a proxy, work not done
  reset-before      reset the connection, work not done
  reset-after       do the work, then reset the connection: the answer is lost
  empty             do the work, then close without a byte
  truncate          do the work, send half of what was announced
  bad-json          do the work, send half of it as if it were whole
  garbage           do the work, send bytes that mean nothing
  drip=100ms        do the work, send a byte each 100 ms
  content-type=T    do the work, call the answer text/plain, or T
  latency=2s        wait first; goes with another fault
Examples: get:status=503x3   any:latency=2s@50%   create:truncate

While it runs, GET /_mock/ lists what can be seen and set: state, clock, outcomes, webhooks, faults.
Product SKUs that begin with TEST- provoke what is else hard to get. README tells all of it.
`
