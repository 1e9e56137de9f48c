// Renders a QR code: half blocks for terminals, SVG for paper.
import { Chalk } from 'chalk'
import { encode } from 'uqr'

type Modules = readonly (readonly boolean[])[]

/** Light modules on each side, required by ISO/IEC 18004. */
const quietZone = 4
/** The capacity of the largest QR code. */
const maxBytes = 2953

/** True is dark. Undefined if the value is too long or has a lone surrogate. */
const encodeModules = (value: string): Modules | undefined => {
  if (Buffer.byteLength(value) > maxBytes || !value.isWellFormed()) return undefined
  const { data, size } = encode(value, { ecc: 'L', boostEcc: true, border: 0 })
  const side = Array.from({ length: size + 2 * quietZone }, (_, index) => index - quietZone)
  return side.map((row) => side.map((column) => data[row]?.[column] ?? false))
}

export type QrDrawing = {
  /** In terminal columns. */
  readonly width: number
  readonly text: string
}

/**
 * One character shows two modules. With colour: black on white on every terminal. Without colour the light modules are
 * drawn, which is correct on a dark background and inverted on a light one.
 */
export const renderQr = (value: string, colour: boolean): QrDrawing | undefined => {
  const modules = encodeModules(value)
  if (modules === undefined) return undefined
  // By number, because terminal themes redefine named colours.
  const paint = new Chalk({ level: colour ? 2 : 0 }).ansi256(16).bgAnsi256(231)
  const drawn = colour
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
          // The half row below the last row has the background colour.
          const below = lower === undefined ? false : lower[column] === drawn
          return blocks.get(`${dark === drawn} ${below}`) ?? ' '
        })
        .join(''),
    )
  return { width: modules.length, text: lines.map((line) => `${paint(line)}\n`).join('') }
}

/** Undefined if the value cannot be encoded. The style sheet sets the size. */
export const renderQrSvg = (value: string): string | undefined => {
  const modules = encodeModules(value)
  if (modules === undefined) return undefined
  const path = modules.flatMap((row, y) =>
    findDarkRuns(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" class="qr" role="img" aria-label="QR code" viewBox="0 0 ${modules.length} ${modules.length}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${modules.length}v${modules.length}H0z"/><path d="${path.join('')}"/></svg>`
}

const findDarkRuns = (row: readonly boolean[]): [from: number, length: number][] => {
  const runs: [number, number][] = []
  row.forEach((dark, at) => {
    const last = runs.at(-1)
    if (!dark) return
    if (last !== undefined && last[0] + last[1] === at) last[1] += 1
    else runs.push([at, 1])
  })
  return runs
}
