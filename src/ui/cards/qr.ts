// A value as a QR code: its modules, with half blocks on a terminal and as SVG on paper.
import { Chalk } from 'chalk'
import { encode } from 'uqr'

type Modules = readonly (readonly boolean[])[]

/** Light all around it, in modules, as the standard wants it. */
const quiet = 4
/** What the largest of them holds. */
const mostBytes = 2953

/** Dark is true. Undefined where the value is longer than a QR code can be, or has half a character in it. */
const modulesOf = (value: string): Modules | undefined => {
  if (Buffer.byteLength(value) > mostBytes || !value.isWellFormed()) return undefined
  const { data, size } = encode(value, { ecc: 'L', boostEcc: true, border: 0 })
  const side = Array.from({ length: size + 2 * quiet }, (_, index) => index - quiet)
  return side.map((row) => side.map((column) => data[row]?.[column] ?? false))
}

export type QrDrawing = {
  /** In columns of a terminal. */
  readonly width: number
  readonly text: string
}

/**
 * Two modules a character. With colour the background is drawn too, black on white, so that it is the same on every
 * terminal; without, the light is what is drawn: right on a dark background, and inverted on a light one.
 */
export const qrText = (value: string, colour: boolean): QrDrawing | undefined => {
  const modules = modulesOf(value)
  if (modules === undefined) return undefined
  // By number: a theme gives names such as black colours of its own.
  const paint = new Chalk({ level: colour ? 2 : 0 }).ansi256(16).bgAnsi256(231)
  const ink = colour
  const blocks = new Map([
    ['true true', '█'],
    ['true false', '▀'],
    ['false true', '▄'],
  ])
  const lines = modules
    .map((upper, row) => ({ upper, lower: modules[row + 1], row }))
    .filter(({ row }) => row % 2 === 0)
    .map(({ upper, lower }) =>
      upper
        .map((dark, column) => {
          // Below the last row is the background, with colour the drawn one and without the terminal's own.
          const below = lower === undefined ? false : lower[column] === ink
          return blocks.get(`${dark === ink} ${below}`) ?? ' '
        })
        .join(''),
    )
  return { width: modules.length, text: lines.map((line) => `${paint(line)}\n`).join('') }
}

/** Undefined where it cannot be drawn. Its size is the style sheet's to say. */
export const qrSvg = (value: string): string | undefined => {
  const modules = modulesOf(value)
  if (modules === undefined) return undefined
  const path = modules.flatMap((row, y) =>
    runsOf(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" class="qr" role="img" aria-label="QR code" viewBox="0 0 ${modules.length} ${modules.length}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${modules.length}v${modules.length}H0z"/><path d="${path.join('')}"/></svg>`
}

/** Where dark begins, and for how long. */
const runsOf = (row: readonly boolean[]): [from: number, length: number][] => {
  const runs: [number, number][] = []
  row.forEach((dark, at) => {
    const last = runs.at(-1)
    if (!dark) return
    if (last !== undefined && last[0] + last[1] === at) last[1] += 1
    else runs.push([at, 1])
  })
  return runs
}
