// The command `orderctl report`: its flags and help.

import { momentForm, parseMoment, type TimeSpan } from '../../cli/read-moment.ts'
import { defineCommand, defineSpec, type Given, type OptionsOf } from '../../cli/spec.ts'
import { type ReportKey, readColumnKey, reportKeys } from '../../contract/report.ts'
import { dayMs, findPeriod, parseDuration } from '../../contract/time.ts'

/** In UTC. Also takes a month. An age of whole days is the day that was so long ago. */
const parseWhen = (text: string, { context }: Given): TimeSpan | undefined => {
  const now = context.clock.now()
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return findPeriod('month', Date.parse(text))
  const age = parseDuration(text)
  if (age !== undefined && age % dayMs === 0 && age <= now) return findPeriod('day', now - age)
  return parseMoment(text, { now, isUtc: true })
}

const when = { takes: '<when>', parse: parseWhen, allowed: `a month such as 2026-11, ${momentForm}` } as const

const keyForm = `${reportKeys.join(', ')}, or column:NAME for a column of a batch's input`

const spec = defineSpec(
  {
    guide: 'reports',
    description:
      'Report what confirmed orders cost in each currency, by the last invoice that orderctl read. Times are in UTC. ' +
      'The report reads only the journal, and never calls the service.',
    flags: {
      since: {
        ...when,
        help: 'first day: 2026-11-01, 2026-11 or 30d (default: 12 months with --by month, else 30d)',
      },
      until: { ...when, help: 'last day: 2026-11-30, 2026-11 or 7d (default: now)' },
      by: {
        takes: '<key>',
        parse: (text): ReportKey | undefined =>
          readColumnKey(text) === undefined ? reportKeys.find((key) => key === text) : (text as ReportKey),
        allowed: keyForm,
        help: `group by ${keyForm} (default: month)`,
        repeats: true,
        completes: 'report-keys',
      },
      batch: { takes: '<batch>', help: 'only orders of this batch (default period: all time)' },
      unrevealed: { help: 'only delivered orders of the period with no code shown, copied or exported' },
      profile: { takes: '<name>', help: 'only orders of this profile (default: the same as list)' },
      csv: { help: 'print CSV', excludes: { json: '' } },
      html: { takes: '<file>', help: 'write a page to a new file', excludes: { csv: '', json: '' } },
      force: { help: 'let --html overwrite an existing file', needs: { oneOf: ['html'] } },
    },
    examples: [
      'orderctl report',
      'orderctl report --since 2026-11 --until 2026-11 --by month --by person',
      'orderctl report --since 90d --by product --csv > products.csv',
      'orderctl report --by month --by profile --html report.html',
      "orderctl report --by 'column:Cost centre' --by month",
      'orderctl report --by order --by product --since 2026-11 --csv > charges.csv',
      'orderctl report --by order --unrevealed --since 2026-01 --csv > stock.csv',
    ],
    notes: `
CHARGED includes FAILED, PARTIAL and OPEN, because the service does not report
refunds. It does not include UNKNOWN: orders for which the outcome of the
confirm is unknown.

An order counts on the day on which its confirm was sent. If the clock of the
machine was wrong, it counts on the day on which the service created it.

With --by column:NAME, the amount of an order is split over the rows of its
batch. Column names are case-insensitive.
`,
  },
  ({ by, since, until }, { context }) => [
    ...(new Set(by).size < by.length ? [{ text: '--by has the same key twice', field: '--by' }] : []),
    ...(since !== undefined && since.from > context.clock.now()
      ? [{ text: '--since is in the future', field: '--since' }]
      : []),
    ...(since !== undefined && until !== undefined && since.from >= until.until
      ? [{ text: '--since is after --until', field: '--since' }]
      : []),
  ],
)

export type ReportOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).report)
