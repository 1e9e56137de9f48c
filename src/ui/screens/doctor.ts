// Renders groups of findings, each with its fix, and the files of orderctl with their sizes.
import { safeLines } from '../terminal/sanitize.ts'
import { widthOf, wrapCell, wrapProse } from '../terminal/text-width.ts'
import type { View } from '../terminal/view.ts'
import { formatBytes } from '../text/bytes.ts'
import { describeCount } from '../text/counts.ts'
import { renderSection } from '../text/fields.ts'
import { renderTable } from '../text/table.ts'

export type CheckStatus = 'ok' | 'warning' | 'problem'

export type Finding = {
  readonly name: string
  readonly status: CheckStatus
  readonly detail: string
  /** A command or an instruction. */
  readonly fix?: string | undefined
  /** The facts of the detail for a script. Not printed as text. */
  readonly data?: Readonly<Record<string, unknown>>
}

export type KeptPath = {
  readonly path: string
  readonly purpose: string
  readonly bytes: number
}

export type DoctorReport = {
  readonly groups: readonly { readonly title: string; readonly checks: readonly Finding[] }[]
  readonly paths?: readonly KeptPath[]
}

export const renderDoctor = ({ groups, paths }: DoctorReport, view: View): string =>
  [
    ...groups.map(({ title, checks }) => renderSection(title, renderChecks(checks, view), view)),
    ...(paths === undefined ? [] : [renderSection('Files', renderPaths(paths, view), view)]),
    renderSummary(
      groups.flatMap(({ checks }) => checks),
      view,
    ),
  ].join('\n')

const statusWidth = 'problem'.length
const indent = ' '.repeat(statusWidth + 4)
const maxNameWidth = 24

const paintOf = ({ theme }: View, status: CheckStatus) =>
  ({ ok: theme.good, warning: theme.warning, problem: theme.bad })[status]

const renderChecks = (checks: readonly Finding[], view: View): string => {
  const nameWidth = Math.min(maxNameWidth, Math.max(0, ...checks.map(({ name }) => widthOf(name))))
  return checks.map((check) => renderCheck(check, nameWidth, view)).join('')
}

const renderCheck = ({ name, status, detail, fix }: Finding, nameWidth: number, view: View): string => {
  const painted = `${paintOf(view, status)(status)}${' '.repeat(statusWidth - status.length)}`
  const room = Math.max(20, view.width - indent.length)
  const label = safeLines(name)
  const hanging = ' '.repeat(nameWidth + 2)
  const details = wrapCell(safeLines(detail), Math.max(20, room - hanging.length))
  const below = details.map((line) => `${hanging}${line}`)
  const isLong = widthOf(label) > nameWidth
  const lines = isLong
    ? [...wrapCell(label, room), ...below]
    : [`${label}${(below[0] ?? '').slice(widthOf(label))}`, ...below.slice(1)]
  const advice = fix === undefined ? [] : wrapProse(`try: ${safeLines(fix)}`, room)
  return [
    ...lines,
    ...advice.map((line, index) => (index === 0 ? line.replace('try:', view.theme.strong('try:')) : line)),
  ]
    .map((line, index) => `${index === 0 ? `  ${painted}  ` : indent}${line}\n`)
    .join('')
}

const renderPaths = (paths: readonly KeptPath[], view: View): string =>
  paths.length === 0
    ? 'orderctl has created no files\n'
    : renderTable(
        [
          { title: 'SIZE', align: 'right' },
          { title: 'PATH', narrow: 'wrap' },
          { title: 'CONTENT', narrow: 'wrap' },
        ],
        paths.map(({ path, purpose, bytes }) => [formatBytes(bytes), path, purpose]),
        view,
      )

const renderSummary = (checks: readonly Finding[], view: View): string => {
  const count = (wanted: CheckStatus, word: string): string | undefined => {
    const { length } = checks.filter(({ status }) => status === wanted)
    return length === 0 ? undefined : paintOf(view, wanted)(describeCount(length, word))
  }
  const found = [count('problem', 'problem'), count('warning', 'warning')].filter(Boolean)
  return `${found.length === 0 ? view.theme.good('No problems found') : found.join(', ')}\n`
}
