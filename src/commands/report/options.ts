// The options of report, read once from its flags.
import type { Context } from '../../context.ts'
import { type ReportKey, reportKeys } from '../../contract/report/report.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import type { ReportFlags } from './flags.ts'
import { readPeriod } from './period.ts'

export type ReportFormat = 'screen' | 'json' | 'csv'

export type ReportOptions = {
  readonly by: readonly ReportKey[]
  readonly from: number
  /** The first millisecond after the period. */
  readonly until: number
  readonly profile: string | undefined
  readonly format: ReportFormat
  readonly html: { readonly name: string; readonly force: boolean } | undefined
}

export const readReportOptions = ({ clock }: Pick<Context, 'clock'>, flags: ReportFlags): ReportOptions => {
  const reader = createFlagReader('report')
  const { read, addProblem, check } = reader
  const { since, until, profile, csv = false, json = false, html, force = false } = flags
  const keys = (flags.by ?? ['month']).map((text) => read('--by', text, findKey, reportKeys.join(', ')))
  const by = keys.filter((key) => key !== undefined)
  if (new Set(by).size < by.length) addProblem('--by has the same key twice', '--by')
  const period = readPeriod(reader, { since, until }, { by, now: clock.now() })
  if (csv && json) addProblem('--csv cannot be used with --json', '--csv')
  if (html !== undefined && (csv || json)) {
    addProblem(`--html cannot be used with ${csv ? '--csv' : '--json'}`, '--html')
  }
  if (force && html === undefined) addProblem('--force needs --html', '--force')
  check()
  return {
    ...{ by, profile, ...period },
    format: json ? 'json' : csv ? 'csv' : 'screen',
    html: html === undefined ? undefined : { name: html, force },
  }
}

const findKey = (text: string): ReportKey | undefined => reportKeys.find((key) => key === text)
