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
