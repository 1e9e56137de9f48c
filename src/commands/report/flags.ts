// The flags of `orderctl report`.
import type { Command } from '@commander-js/extra-typings'
import { reportKeys } from '../../contract/report/report.ts'
import { collect, type FlagsOf, withBasics } from '../shared/flags.ts'

export const defineFlags = (command: Command) => {
  const own = command
    .description(
      'Report what confirmed orders cost in each currency, by the last invoice that orderctl read. Times are in UTC. ' +
        'The report reads only the journal, and never calls the service.',
    )
    .option(
      '--since <when>',
      'first day: 2026-11-01, 2026-11 or 30d (default: 12 months with --by month, 12 weeks with --by week, else 30d)',
    )
    .option('--until <when>', 'last day: 2026-11-30, 2026-11 or 7d (default: now)')
    .option('--by <key>', `group by ${reportKeys.join(', ')}; can be repeated (default: month)`, collect)
    .option('--profile <name>', 'only orders of this profile (default: all but the sandbox)')
    .option('--csv', 'print CSV')
    .option('--html <file>', 'write a page with charts to a new file')
    .option('--force', 'let --html overwrite an existing file')
  return withBasics(own)
}

export type ReportFlags = FlagsOf<typeof defineFlags>
