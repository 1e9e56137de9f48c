// The steps of `orderctl report`: period → file → the journal's groups of orders → report → printed or written.
import type { Context } from '../../context.ts'
import { dayMs } from '../../contract/duration.ts'
import type { Report, ReportKey } from '../../contract/report/report.ts'
import { findPeriod, type Period } from '../../contract/timestamp.ts'
import { exitCodes } from '../../exit-codes.ts'
import { readChargeGroups } from '../../journal/charge-groups.ts'
import { buildReport } from '../../operations/build-report.ts'
import { renderReportCsv, renderReportJson } from '../../ui/screens/report/report-data.ts'
import { renderReportPage } from '../../ui/screens/report/report-page.ts'
import { renderReport } from '../../ui/screens/report/report-screen.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { findListedAccount, refuseUnknownProfile } from '../shared/listed-account.ts'
import { writeNote } from '../shared/notes.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { stageFile } from '../shared/staged-file.ts'
import type { ReportOptions } from './spec.ts'

/** Returns the exit code. */
export const report = async (context: Context, options: ReportOptions): Promise<number> => {
  const { stdout, stderr, clock } = context
  const { html, force } = options
  const range = readRange(options, clock.now())
  const file =
    html === undefined ? undefined : stageFile(html, { field: '--html', force, newId: clock.newId })
  try {
    const made = await readReport(context, options.profile, range)
    if (made.rows.length === 0) writeNote(context, 'No charged orders in this period\n')
    if (made.unpriced > 0) {
      stderr.warn(`the journal has no amount for ${made.unpriced} of these orders`)
    }
    if (file === undefined || html === undefined) {
      stdout.write(renderAs(context, options, made))
      return exitCodes.ok.code
    }
    await file.keep(renderReportPage(made, context.suggest))
    writeNote(context, `Wrote ${sanitize(html)}\n`)
    return exitCodes.ok.code
  } finally {
    file?.discard()
  }
}

type Range = {
  readonly by: readonly ReportKey[]
  readonly from: number
  /** The first millisecond after the period. */
  readonly until: number
}

const readRange = ({ since, until, ...options }: ReportOptions, now: number): Range => {
  const by: readonly ReportKey[] = options.by.length === 0 ? ['month'] : options.by
  const end = until === undefined ? now + 1 : Math.min(until.until, now + 1)
  const from = since?.from ?? findDefaultStart(by, until === undefined ? now : until.until - 1)
  return { by, from, until: end }
}

/** Whole months or weeks, so that they can be compared. */
const findDefaultStart = (by: readonly ReportKey[], end: number): number => {
  const date = new Date(end)
  if (by.includes('month')) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 11)
  const period: Period = by.includes('week') ? 'week' : 'day'
  return findPeriod(period, end - (period === 'week' ? 11 * 7 : 30) * dayMs).from
}

const readReport = async (
  context: Context,
  profile: string | undefined,
  { by, from, until }: Range,
): Promise<Report> => {
  const journals = journalsOf(context, await findListedAccount(context, profile))
  try {
    const journal = await journals.openToRead()
    const groups = journal === undefined ? [] : await readChargeGroups(journal, { by, from, until, profile })
    if (groups.length === 0) await refuseUnknownProfile(context, journal, profile)
    return buildReport(groups, { from, until, by })
  } finally {
    await journals.close()
  }
}

const renderAs = (context: Context, { json, csv }: ReportOptions, made: Report): string => {
  if (json) return renderReportJson(made)
  return csv ? renderReportCsv(made) : renderReport(made, viewOf(context))
}
