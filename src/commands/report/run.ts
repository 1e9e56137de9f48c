// The steps of `orderctl report`: period → file → the journal's groups of orders → report → printed or written.

import { findListedAccount } from '../../app/account.ts'
import {
  chooseSandbox,
  findListedBatches,
  noteHidden,
  refuseUnknownProfile,
} from '../../app/journal/listed-orders.ts'
import { journalsOf } from '../../app/journal/open-journal.ts'
import { writeNote } from '../../app/notes.ts'
import { printPaged } from '../../app/output/output.ts'
import { stageFile } from '../../app/staged-file.ts'
import type { Context } from '../../context.ts'
import { dayMs } from '../../contract/duration.ts'
import { itemKeys, type Report, type ReportKey, readColumnKey } from '../../contract/report/report.ts'
import { findPeriod, type Period } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import { isSameColumn, listBatchColumns, readChargeGroups } from '../../journal/charge-groups.ts'
import type { Journal } from '../../journal/journal.ts'
import { buildReport } from '../../operations/build-report.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { renderReportCsv, renderReportJson } from './report-data.ts'
import { renderReport, renderReportPage } from './report-page.ts'
import type { ReportOptions } from './spec.ts'

export const report = async (context: Context, options: ReportOptions): Promise<void> => {
  const { html, force, csv, json } = options
  const file =
    html === undefined ? undefined : stageFile(html, { field: '--html', force, newId: context.clock.newId })
  try {
    const made = await readReport(context, options)
    printNotes(context, made, csv)
    if (file !== undefined) {
      await file.keep(renderReportPage(made, viewOf(context)))
      writeNote(context, `Wrote ${sanitize(html ?? '')}\n`)
    } else if (json || csv) {
      context.stdout.write(json ? renderReportJson(made) : renderReportCsv(made, context.stdout))
    } else {
      await printPaged(context, renderReport(made, viewOf(context)))
    }
  } finally {
    file?.discard()
  }
}

const readReport = async (context: Context, options: ReportOptions): Promise<Report> => {
  const { since, until, profile, items, batch, unrevealed: isUnrevealed } = options
  const keys = items ? itemKeys.concat(options.by) : options.by
  const by: readonly ReportKey[] = keys.length === 0 ? ['month'] : keys
  const now = context.clock.now()
  const end = until === undefined ? now : until.until - 1
  const from = since?.from ?? (batch === undefined ? findDefaultStart(by, end) : 0)
  await using journals = journalsOf(context, await findListedAccount(context, profile))
  const journal = await journals.openExisting()
  await refuseUnknownColumns(journal, by)
  // By the service's time, which may be ahead of this machine.
  const batches = await findListedBatches(journal, options)
  const selected = {
    profile,
    batches,
    isSandbox: await chooseSandbox(context, journal, { profile, batches }),
  }
  const query = { ...selected, by, from, until: until?.until ?? Number.MAX_SAFE_INTEGER, isUnrevealed }
  const groups = await readChargeGroups(journal.read, query)
  const isEmpty = groups.length === 0
  if (isEmpty) await refuseUnknownProfile(context, journal, profile)
  if (!options.json && !options.csv) await noteHidden(context, journal, selected, { by: 'report', isEmpty })
  return buildReport(groups, { by, from, until: Math.min(query.until, now + 1), isItemised: items })
}

/** A mistyped column would report everything as '(none)'. */
const refuseUnknownColumns = async (journal: Journal, by: readonly ReportKey[]): Promise<void> => {
  const names = by.map(readColumnKey).filter((name) => name !== undefined)
  if (names.length === 0) return
  const columns = await listBatchColumns(journal.read)
  const missing = names.find((name) => !columns.some((column) => isSameColumn(column, name)))
  if (missing === undefined) return
  throw new Failure('usage', `no batch in this journal has a column '${missing}'`, {
    field: '--by',
    advice:
      columns.length === 0
        ? 'No batch has columns next to those of its products.'
        : `Use a column of a batch: ${columns.map((column) => `'${column}'`).join(', ')}`,
  })
}

const printNotes = (context: Context, { rows, totals, unpriced, isItemised }: Report, csv: boolean): void => {
  if (rows.length === 0) writeNote(context, 'No charged orders in this period\n')
  if (unpriced > 0) context.stderr.warn(`the journal has no amount for ${unpriced} of these orders`)
  const unknown = totals.reduce((sum, total) => sum + total.unknown.orders, 0)
  if (!isItemised || !csv || unknown === 0) return
  const sentence = `Orders with an unknown outcome (${unknown}) are not listed and may have been charged.`
  writeNote(context, `${sentence} Settle them: ${context.suggest`reconcile`}\n`)
}

/** Whole months or weeks, so that they can be compared. */
const findDefaultStart = (by: readonly ReportKey[], end: number): number => {
  const date = new Date(end)
  if (by.includes('month')) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 11)
  const period: Period = by.includes('week') ? 'week' : 'day'
  return findPeriod(period, end - (period === 'week' ? 11 * 7 : 30) * dayMs).from
}
