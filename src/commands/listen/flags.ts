// The flags of `orderctl listen` and of `orderctl listen replay`.
import type { Command } from '@commander-js/extra-typings'
import { type FlagsOf, withBasics, withCalls, withSession } from '../shared/flags.ts'

export const defineFlags = (command: Command) =>
  withBasics(
    withCalls(
      command
        .usage('[flags]')
        .description('Receive webhooks, and update the orders in the journal. Guide: docs/webhooks.md')
        .option('--port <number>', 'port to listen on; 0 picks a free port (default: 4020)')
        .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
        .option('--path <path>', 'path of the URL (default: a new secret path)')
        .option('--secret-stdin', 'require signatures; read the secret from standard input')
        .option('--forward-to <url>', 'send each delivery to this URL until it answers 2xx')
        .option('--status', 'show the deliveries that wait to be forwarded, and exit')
        .option('--profile <name>', 'profile to use (default: the profile in use)'),
      'time limit of one call (default: 30s)',
    ),
  )

export const defineReplayFlags = (command: Command) =>
  withBasics(
    withSession(
      command
        .summary('Send the orders of received deliveries again')
        .description(
          'Send the orders of received deliveries to a URL again, with their codes. orderctl reads each order from the service, and sends it with the header orderctl-replay: true. The exit code is 5 if the URL does not accept an order, and 3 if the service does not know an order.',
        )
        .requiredOption('--forward-to <url>', 'URL to which orderctl sends the orders')
        .option(
          '--since <time>',
          'only deliveries since a date, a date and time, or an age such as 30m; at most 30 days back',
          '1h',
        ),
      'time limit of one call (default: 30s)',
    ),
  )

export type ListenFlags = FlagsOf<typeof defineFlags>
export type ReplayFlags = FlagsOf<typeof defineReplayFlags>
