// Renders a QR code: half blocks for terminals, SVG for paper.
import { renderSVG, renderUnicodeCompact } from 'uqr'
import { loadChalk } from '../terminal/view.ts'

/** `border`: light modules on each side, required by ISO/IEC 18004. */
const options = { ecc: 'L', boostEcc: true, border: 4 } as const
/** The capacity of the largest QR code. */
const maxBytes = 2953

const canEncode = (value: string): boolean => Buffer.byteLength(value) <= maxBytes && value.isWellFormed()

type QrDrawing = {
  /** In terminal columns. */
  readonly width: number
  readonly text: string
}

/**
 * One character shows two modules. With colour: black on white on every terminal. Without colour the light modules are
 * drawn, which is correct on a dark background and inverted on a light one.
 */
export const renderQr = (value: string, colour: boolean): QrDrawing | undefined => {
  if (!canEncode(value)) return undefined
  // By number, because terminal themes redefine named colours.
  const { Chalk } = loadChalk()
  const paint = new Chalk({ level: colour ? 2 : 0 }).ansi256(16).bgAnsi256(231)
  // Draws the light modules. The half row below the last row has the background colour.
  const lines = renderUnicodeCompact(value, { ...options, invert: colour }).split('\n')
  return { width: lines[0]?.length ?? 0, text: lines.map((line) => `${paint(line)}\n`).join('') }
}

/** Undefined if the value cannot be encoded. The style sheet sets the size. */
export const renderQrSvg = (value: string): string | undefined =>
  canEncode(value)
    ? renderSVG(value, { ...options, pixelSize: 1 }).replace(
        '<svg ',
        '<svg class="qr" role="img" aria-label="QR code" shape-rendering="crispEdges" ',
      )
    : undefined
