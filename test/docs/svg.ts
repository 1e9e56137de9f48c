// Draws the rows of a terminal as an SVG picture that needs no other file.
import { widthOf } from '../../src/ui/terminal/text.ts'
import type { Run, Style } from '../support/screen.ts'

export type Theme = {
  readonly background: string
  readonly border: string
  readonly text: string
  readonly dim: string
  /** By the parameter of the escape code. */
  readonly colours: Readonly<Record<string, string>>
}

/** The colours have a contrast of at least 4.5 to their background. */
export const themes: Readonly<Record<'light' | 'dark', Theme>> = {
  light: {
    background: '#ffffff',
    border: '#d0d7de',
    text: '#1f2328',
    dim: '#59636e',
    colours: { 31: '#cf222e', 32: '#116329', 33: '#7d4e00', 34: '#0550ae', 35: '#8250df', 36: '#1b7c83' },
  },
  dark: {
    background: '#0d1117',
    border: '#30363d',
    text: '#e6edf3',
    dim: '#9198a1',
    colours: { 31: '#ff7b72', 32: '#3fb950', 33: '#d29922', 34: '#79c0ff', 35: '#bc8cff', 36: '#39c5cf' },
  },
}

const columns = 80
const characterWidth = 8.4
const lineHeight = 20
const padding = 16

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const round = (length: number): number => Number(length.toFixed(1))

const fillOf = ({ colour, dim }: Style, theme: Theme): string =>
  (colour === undefined ? undefined : theme.colours[colour]) ?? (dim ? theme.dim : theme.text)

/** Every word group has its own place and length, so that columns align in any font. */
const renderRun = ({ text, style }: Run, from: number, theme: Theme): string[] =>
  [...text.matchAll(/\S+(?: \S+)*/g)].map((group) => {
    const [words] = group
    const x = round(padding + (from + widthOf(text.slice(0, group.index))) * characterWidth)
    const length = round(widthOf(words) * characterWidth)
    const weight = style.bold ? ' font-weight="bold"' : ''
    const place = `x="${x}" textLength="${length}" lengthAdjust="spacingAndGlyphs"`
    return `<tspan ${place} fill="${fillOf(style, theme)}"${weight}>${escapeXml(words)}</tspan>`
  })

const renderRow = (runs: readonly Run[], index: number, theme: Theme): string[] => {
  let from = 0
  const spans = runs.flatMap((run) => {
    const rendered = renderRun(run, from, theme)
    from += widthOf(run.text)
    return rendered
  })
  if (spans.length === 0) return []
  const y = padding + index * lineHeight + 15
  return [`<text y="${y}">${spans.join('')}</text>`]
}

export type Picture = {
  readonly title: string
  readonly description: string
  readonly rows: readonly (readonly Run[])[]
}

export const renderSvg = ({ title, description, rows }: Picture, theme: Theme): string => {
  const width = columns * characterWidth + 2 * padding
  const height = rows.length * lineHeight + 2 * padding
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(description)}</desc>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="${theme.background}" stroke="${theme.border}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    ...rows.flatMap((runs, index) => renderRow(runs, index, theme)),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}
