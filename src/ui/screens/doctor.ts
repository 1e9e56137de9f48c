// Renders findings in groups, each with what to do about it, and the files of orderctl with their sizes.
import { safeLines } from '../terminal/sanitize.ts'
import { widthOf, wrapCell, wrapProse } from '../terminal/text-width.ts'
import type { View } from '../terminal/view.ts'
import { describeCount, formatBytes } from '../text/amounts.ts'
import { renderSection } from '../text/fields.ts'
import { pick, type ResultFields, readFields, renderResults } from '../text/result-fields.ts'
import { right } from '../text/table.ts'

export type Finding = {
  readonly group: string
  readonly name: string
  readonly status: keyof typeof paints
  readonly detail: string
  /** The facts of the detail for a script. Not printed as text. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly fix: string | null
  readonly advice: string | null
}

export type KeptPath = { readonly path: string; readonly purpose: string; readonly bytes: number }

export const renderDoctor = (
  findings: readonly Finding[],
  paths: readonly KeptPath[] | undefined,
  view: View,
): string => {
  const sections = [...Map.groupBy(findings, ({ group }) => group)].map(([title, found]) =>
    renderSection(title, renderFindings(found, view), view),
  )
  const files = paths === undefined ? [] : [renderSection('Files', renderPaths(paths, view), view)]
  return [...sections, ...files, renderSummary(findings, view)].join('\n')
}

const indent = ' '.repeat('  problem  '.length)
const maxNameWidth = 24

const paints = { ok: 'good', warning: 'warning', problem: 'bad' } as const

const renderFindings = (findings: readonly Finding[], view: View): string => {
  const room = Math.max(20, view.width - indent.length)
  const nameWidth = Math.min(maxNameWidth, Math.max(...findings.map(({ name }) => widthOf(name))))
  return findings
    .flatMap(({ name, status, detail, fix, advice }) => {
      const label = safeLines(name)
      const hanging = ' '.repeat(nameWidth + 2)
      const [first = '', ...others] = wrapProse(safeLines(detail), Math.max(20, room - hanging.length))
      const head =
        widthOf(label) > nameWidth
          ? [...wrapCell(label, room), `${hanging}${first}`]
          : [`${label}${hanging.slice(widthOf(label))}${first}`]
      const lines = [...head, ...others.map((line) => `${hanging}${line}`)]
      // On one line, so that it can be copied.
      if (fix !== null) lines.push(`${view.theme.strong('try:')} ${safeLines(fix)}`)
      if (advice !== null) lines.push(...wrapProse(safeLines(advice), room))
      const mark = `  ${view.theme[paints[status]](status)}${indent.slice(status.length + 2)}`
      return lines.map((line, index) => `${index === 0 ? mark : indent}${line}\n`)
    })
    .join('')
}

const renderPaths = (paths: readonly KeptPath[], view: View): string =>
  paths.length === 0 ? 'orderctl has created no files\n' : renderResults(pathFields, paths, view)

const findingOf = (finding: Finding) => finding
export const findingFields = pick(findingOf, 'group', 'name', 'status', 'detail', 'fix', 'advice', 'data')

export const pathFields: ResultFields<KeptPath> = [
  ['bytes', ({ bytes }) => bytes, { title: 'SIZE', cell: ({ bytes }) => formatBytes(bytes), ...right }],
  ['path', ({ path }) => path, { title: 'PATH', narrow: 'wrap' }],
  ['purpose', ({ purpose }) => purpose, { title: 'CONTENT', narrow: 'wrap' }],
]

export const readDoctor = (
  status: Finding['status'],
  findings: readonly Finding[],
  paths: readonly KeptPath[] | undefined,
) => ({
  status,
  checks: findings.map((finding) => readFields(findingFields, finding)),
  paths: paths?.map((path) => readFields(pathFields, path)),
})

const renderSummary = (findings: readonly Finding[], view: View): string => {
  const counts = (['problem', 'warning'] as const).flatMap((status) => {
    const { length } = findings.filter((each) => each.status === status)
    return length === 0 ? [] : [view.theme[paints[status]](describeCount(length, status))]
  })
  return `${counts.length === 0 ? view.theme.good('No problems found') : counts.join(', ')}\n`
}
