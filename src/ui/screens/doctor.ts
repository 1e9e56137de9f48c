// Renders findings in groups, each with what to do about it, and the files of orderctl with their sizes.
import { safeLines, wrapProse } from '../terminal/text.ts'
import type { View } from '../terminal/view.ts'
import { describeCount, formatBytes } from '../text/formats.ts'
import { column, listOf, pick, type ResultFields, renderResults } from '../text/result-fields.ts'
import { renderSection, right } from '../text/table.ts'

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
    renderSection(title, found.map((each) => renderFinding(each, view)).join(''), view),
  )
  const files =
    paths?.length === 0 ? 'orderctl has created no files\n' : renderResults(pathFields, paths ?? [], view)
  if (paths !== undefined) sections.push(renderSection('Files', files, view))
  return [...sections, renderCounts(findings, view)].join('\n')
}

const indent = ' '.repeat('  problem  '.length)

const paints = { ok: 'good', warning: 'warning', problem: 'bad' } as const

const renderFinding = ({ name, status, detail, fix, advice }: Finding, view: View): string => {
  const wrap = (text: string): string[] =>
    wrapProse(safeLines(text), Math.max(20, view.width - indent.length))
  const lines = wrap(`${name}: ${detail}`)
  // On one line, so that it can be copied.
  if (fix !== null) lines.push(`${view.theme.strong('try:')} ${safeLines(fix)}`)
  if (advice !== null) lines.push(...wrap(advice))
  const mark = `  ${view.theme[paints[status]](status)}${indent.slice(status.length + 2)}`
  return lines.map((line, index) => `${index === 0 ? mark : indent}${line}\n`).join('')
}

const findingFields: ResultFields<Finding> = pick((finding: Finding) => finding, {
  group: ['text', 'the section'],
  name: ['text', 'what was checked'],
  status: ['text', 'ok, warning or problem'],
  detail: ['text', 'what was found'],
  fix: ['text', 'a command to type'],
  advice: ['text', 'what to do'],
  data: ['object', 'facts for scripts'],
})

const pathFields: ResultFields<KeptPath> = [
  column('bytes', 'count', 'its size', ({ bytes }) => bytes, {
    title: 'SIZE',
    cell: ({ bytes }) => formatBytes(bytes),
    ...right,
  }),
  ['path', 'text', 'a file or folder of orderctl', ({ path }) => path, { title: 'PATH', narrow: 'wrap' }],
  ['purpose', 'text', 'its content', ({ purpose }) => purpose, { title: 'CONTENT', narrow: 'wrap' }],
]

export type Checked = {
  readonly status: Finding['status']
  readonly findings: readonly Finding[]
  readonly paths?: readonly KeptPath[] | undefined
}

export const checkFields: ResultFields<Checked> = [
  ['status', 'text', 'the worst of the checks', ({ status }) => status],
  ['checks', listOf(findingFields), 'all checks', ({ findings }) => findings],
]

export const doctorFields: ResultFields<Checked> = [
  ...checkFields,
  ['paths', listOf(pathFields), 'the files of orderctl', ({ paths }) => paths],
]

const renderCounts = (findings: readonly Finding[], view: View): string => {
  const counts = (['problem', 'warning'] as const).flatMap((status) => {
    const { length } = findings.filter((each) => each.status === status)
    return length === 0 ? [] : [view.theme[paints[status]](describeCount(length, status))]
  })
  return `${counts.length === 0 ? view.theme.good('No problems found') : counts.join(', ')}\n`
}
