// Reads drawn QR codes with an independent decoder.
import jsqr from 'jsqr'

/** True means light. */
type Pixels = readonly (readonly boolean[])[]

const defaultScale = 4
// Accepts only dark on light, as the standard requires.
const strictly = { inversionAttempts: 'dontInvert' } as const

/** Reads the QR code in an image that is large enough as it is. */
export const readPixels = (pixels: Pixels) => decode(pixels, strictly, 1)

const decode = (
  pixels: Pixels,
  options: Parameters<typeof jsqr.default>[3] = strictly,
  scale = defaultScale,
) => {
  const width = (pixels[0]?.length ?? 0) * scale
  const height = pixels.length * scale
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const light = pixels[Math.floor(y / scale)]?.[Math.floor(x / scale)] === true
      data.fill(light ? 255 : 0, (y * width + x) * 4, (y * width + x) * 4 + 3)
    }
  }
  return jsqr.default(data, width, height, options)?.data
}

/** Reads a QR code from a terminal with this background. */
export const readTerminal = (text: string, background: 'dark' | 'light', inverted = false) => {
  const own = background === 'light'
  const rows: boolean[][] = []
  for (const line of text.replace(/\n$/, '').split('\n')) {
    let [ink, ground] = [!own, own]
    const [upper, lower]: [boolean[], boolean[]] = [[], []]
    for (const [token] of line.matchAll(/\u001b\[[\d;]*m|[^\u001b]/g)) {
      if (token === '\u001b[38;5;16m') ink = false
      else if (token === '\u001b[48;5;231m') ground = true
      else if (token === '\u001b[39m') ink = !own
      else if (token === '\u001b[49m') ground = own
      else if (' ▀▄█'.includes(token)) {
        upper.push('▀█'.includes(token) ? ink : ground)
        lower.push('▄█'.includes(token) ? ink : ground)
      } else throw new Error(`not part of a QR code: ${JSON.stringify(token)}`)
    }
    rows.push(upper, lower)
  }
  return decode(framed(rows, own), inverted ? { inversionAttempts: 'attemptBoth' } : strictly)
}

/** Adds the surrounding window. */
const framed = (rows: Pixels, own: boolean): Pixels => {
  const width = Math.max(...rows.map((row) => row.length)) + 8
  const empty = Array.from({ length: 8 }, () => Array.from({ length: width }, () => own))
  const side = [own, own, own, own]
  return [...empty, ...rows.map((row) => [...side, ...row, ...side]), ...empty]
}

export const readSvg = (svg: string) => {
  const size = Number(/viewBox="0 0 (\d+) \d+"/.exec(svg)?.[1])
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => true))
  const dark = svg.split('<path').at(-1) ?? ''
  for (const [, x, y, length] of dark.matchAll(/M(\d+),(\d+)h(\d+)v1h-\3z/g)) {
    rows[Number(y)]?.fill(false, Number(x), Number(x) + Number(length))
  }
  return decode(rows)
}
