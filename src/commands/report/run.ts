// The steps of `orderctl report`: options → file → the journal's groups of orders → report → printed or written.
import type { Context } from '../../context.ts'
import type { Report } from '../../contract/report/report.ts'
import { exitCodes } from '../../exit-codes.ts'
import { readChargeGroups } from '../../journal/report/charge-groups.ts'
import { buildReport } from '../../operations/report/build-report.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { journalsOf } from '../shared/journal/open-journal.ts'
import { findListedAccount, refuseUnknownProfile } from '../shared/listed-account.ts'
import { stageFile } from '../shared/staged-file.ts'
import type { ReportFlags } from './flags.ts'
import { type ReportFormat, type ReportOptions, readReportOptions } from './options.ts'

/** Returns the exit code. */
export const report = async (context: Context, flags: ReportFlags): Promise<number> => {
  const { stdout, stderr, clock } = context
  const options = readReportOptions(context, flags)
  const { html, format } = options
  const file = html && stageFile(html.name, { field: '--html', force: html.force, newId: clock.newId })
  try {
    const made = await readReport(context, options)
    if (made.rows.length === 0) stderr.write('No charged orders in this period\n')
    if (made.unpriced > 0) {
      stderr.write(`warning: the journal has no amount for ${made.unpriced} of these orders\n`)
    }
    if (file === undefined || html === undefined) {
      stdout.write(await (await loadFormat(format, context))(made))
      return exitCodes.ok.code
    }
    const { renderReportPage } = await import('../../ui/screens/report/report-page.ts')
    await file.keep(renderReportPage(made, context.suggest))
    stderr.write(`Wrote ${sanitize(html.name)}\n`)
    return exitCodes.ok.code
  } finally {
    file?.discard()
  }
}

const readReport = async (context: Context, { by, from, until, profile }: ReportOptions): Promise<Report> => {
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

type Render = (report: Report) => string

const loadFormat = async (format: ReportFormat, context: Context): Promise<Render> => {
  if (format === 'json') return (await import('../../ui/screens/report/report-data.ts')).renderReportJson
  if (format === 'csv') return (await import('../../ui/screens/report/report-data.ts')).renderReportCsv
  const [{ renderReport }, { viewOf }] = await Promise.all([
    import('../../ui/screens/report/report-screen.ts'),
    import('../shared/output/view-of.ts'),
  ])
  return (made) => renderReport(made, viewOf(context))
}
