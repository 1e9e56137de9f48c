// The flags of `orderctl listen` and of `orderctl listen replay`.
import type { Command } from '@commander-js/extra-typings'
import { type FlagsOf, withBasics, withSession } from '../shared/flags.ts'

export const defineFlags = (command: Command) =>
  withBasics(
    withSession(
      command
        .description('Receive webhook deliveries, read their orders, and update the journal.')
        .option('--port <number>', 'port to listen on; 0 picks a free port (default: 4020)')
        .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
        .option('--path <path>', 'path of the URL (default: a new secret path)')
        .option('--secret-stdin', 'read a webhook secret, and refuse unsigned deliveries')
        .option('--forward-to <url>', 'send each delivery to this URL until it answers 2xx')
        .option('--status', 'show the deliveries that wait to be forwarded'),
      'time limit of one request to the service (default: 30s)',
    ),
  )

export const defineReplayFlags = (command: Command) =>
  withBasics(
    withSession(
      command
        .summary('Send received orders to a URL again')
        .description(
          'Send the orders of received deliveries to a URL, with their codes. orderctl reads each order again, and marks the request with the header orderctl-replay.',
        )
        .requiredOption('--forward-to <url>', 'URL to send to')
        .option('--since <time>', 'deliveries received since then: 30m, 2026-11-30', '1h'),
      'time limit of one request to the service (default: 30s)',
    ),
  )

export type ListenFlags = FlagsOf<typeof defineFlags>
export type ReplayFlags = FlagsOf<typeof defineReplayFlags>
