// Draws the rows of a terminal, or boxes with such rows, as an SVG picture that needs no other file.
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
export const characterWidth = 8.4
export const lineHeight = 20
const padding = 16

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const round = (length: number): number => Number(length.toFixed(1))

const fillOf = ({ colour, dim }: Style, theme: Theme): string =>
  (colour === undefined ? undefined : theme.colours[colour]) ?? (dim ? theme.dim : theme.text)

/** Every word group has its own place and length, so that columns align in any font. */
const renderRun = ({ text, style }: Run, left: number, theme: Theme): string[] =>
  [...text.matchAll(/\S+(?: \S+)*/g)].map((group) => {
    const [words] = group
    const x = round(left + widthOf(text.slice(0, group.index)) * characterWidth)
    const length = round(widthOf(words) * characterWidth)
    const weight = style.bold ? ' font-weight="bold"' : ''
    const place = `x="${x}" textLength="${length}" lengthAdjust="spacingAndGlyphs"`
    return `<tspan ${place} fill="${fillOf(style, theme)}"${weight}>${escapeXml(words)}</tspan>`
  })

export type Point = readonly [x: number, y: number]
type Row = readonly Run[]

/** The point is the upper left corner of the first row. */
export const renderRows = (rows: readonly Row[], [left, top]: Point, theme: Theme): string[] =>
  rows.flatMap((runs, index) => {
    let from = left
    const spans = runs.flatMap((run) => {
      const rendered = renderRun(run, from, theme)
      from += widthOf(run.text) * characterWidth
      return rendered
    })
    return spans.length === 0 ? [] : [`<text y="${top + index * lineHeight + 15}">${spans.join('')}</text>`]
  })

export type Texts = { readonly title: string; readonly description: string }
export type Picture = Texts & { readonly rows: readonly Row[] }

export const renderFrame = (
  { title, description }: Texts,
  [width, height]: Point,
  body: readonly string[],
  theme: Theme,
): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(description)}</desc>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="${theme.background}" stroke="${theme.border}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    ...body,
    '</g>',
    '</svg>',
    '',
  ].join('\n')

export const renderSvg = ({ rows, ...texts }: Picture, theme: Theme): string => {
  const size: Point = [columns * characterWidth + 2 * padding, rows.length * lineHeight + 2 * padding]
  return renderFrame(texts, size, renderRows(rows, [padding, padding], theme), theme)
}
