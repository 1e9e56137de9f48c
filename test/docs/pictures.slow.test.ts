// The pictures in docs/pictures/ are generated: `npm run pictures` draws them again.
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { noTerminal } from '../support/pseudo-terminal.ts'
import { captures } from './pictures.ts'
import { renderSvg, themes } from './svg.ts'

const pictures = path.resolve(import.meta.dirname, '../../docs/pictures')

describe.skipIf(noTerminal() !== undefined)('docs/pictures', () => {
  test.for(Object.entries(captures))('%s shows a real run', async ([name, capture]) => {
    const picture = await capture()
    for (const [theme, colours] of Object.entries(themes)) {
      const file = path.join(pictures, `${name}-${theme}.svg`)
      await expect(renderSvg(picture, colours)).toMatchFileSnapshot(file)
    }
  })
})

test('text in a picture is readable against its background', () => {
  const luminanceOf = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  for (const { background, text, dim, colours } of Object.values(themes)) {
    for (const colour of [text, dim, ...Object.values(colours)]) {
      const [dark = 0, light = 0] = [luminanceOf(colour), luminanceOf(background)].sort((a, b) => a - b)
      expect((light + 0.05) / (dark + 0.05), colour).toBeGreaterThan(4.5)
    }
  }
})
