// QR codes and barcodes, read back from what was drawn.
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { renderQr, renderQrSvg } from '../../../src/ui/cards/qr.ts'
import { renderBarcode } from '../../../src/ui/cards/sheet.ts'
import { readSvg, readTerminal } from '../../support/qr-reader.ts'

const values = [
  'https://redeem.example/GAME-US/J700-CEWB-813B-XDG8',
  '0042',
  `https://redeem.example/${'x'.repeat(300)}`,
]

describe.each(values)('the QR code of %s', (value) => {
  test.each(['dark', 'light'] as const)('in colour is dark on light on a %s terminal', (background) => {
    expect(readTerminal(renderQr(value, true)?.text ?? '', background)).toBe(value)
  })

  test('without colour is correct on a dark terminal and inverted on a light one', () => {
    const { text = '' } = renderQr(value, false) ?? {}
    expect(text).toBe(stripVTControlCharacters(text))
    expect(readTerminal(text, 'dark')).toBe(value)
    expect(readTerminal(text, 'light', true)).toBe(value)
  })

  test('as SVG has the same modules', () => {
    expect(readSvg(renderQrSvg(value) ?? '')).toBe(value)
  })
})

test('a value that is too long has no QR code', () => {
  expect(renderQr('x'.repeat(2953), false)?.width).toBe(177 + 8)
  expect([renderQr('x'.repeat(2954), false), renderQrSvg('ü'.repeat(1477))]).toEqual([undefined, undefined])
  expect([renderQr('J700\ud83d', false), renderQrSvg('\ude00')]).toEqual([undefined, undefined])
})

/** The widths of bars and of the gaps between them, in modules. */
const runsOf = (svg: string) => {
  const bars = [...svg.matchAll(/stroke-width="(\d+)" d="([^"]*)"/g)].flatMap(([, width, path = '']) =>
    [...path.matchAll(/M([\d.]+) /g)].map(([, middle]) => ({
      from: (Number(middle) - Number(width) / 2) / 2,
      to: (Number(middle) + Number(width) / 2) / 2,
    })),
  )
  bars.sort((one, other) => one.from - other.from)
  return bars.flatMap(({ from, to }, index) => {
    const next = bars[index + 1]
    return [to - from, ...(next === undefined ? [] : [next.from - to])]
  })
}

describe('a barcode', () => {
  test('is Code 128: start, symbols of eleven modules, checksum, stop', () => {
    const runs = runsOf(renderBarcode('AB-12') ?? '').join('')
    expect(runs).toMatch(/^211214(\d{6})+2331112$/)
    // From the standard's table: A, B, -, 1, 2; then the check, (104 + 33 + 2·34 + 3·13 + 4·17 + 5·18) % 103 = 93.
    expect(runs.slice(6, -7)).toBe(['111323', '131123', '122132', '123221', '223211', '111341'].join(''))
  })

  test.each(['コード', 'A\nB', 'x'.repeat(80)])('is not drawn of %j', (code) => {
    expect(renderBarcode(code)).toBeUndefined()
  })

  test('has quiet zones of ten modules', () => {
    const svg = renderBarcode('AB-12') ?? ''
    const total = runsOf(svg).reduce((sum, each) => sum + each, 0)
    expect(/viewBox="(-?\d+) 0 (\d+) /.exec(svg)?.slice(1).map(Number)).toEqual([-20, 2 * (total + 20)])
  })

  test('of text that looks like an encoder command is that text', () => {
    expect(runsOf(renderBarcode('^FNC1(01)') ?? '').length).toBe(6 + 6 * 10 + 7)
  })
})
