// redeem --qr: what stands on the terminal, read by a decoder. redeem.session has what is refused.
import { expect, test } from 'vitest'
import { readTerminal } from '../../support/qr-reader.ts'
import { byExecutable, openWorld, type Way } from '../../support/world.ts'

/** Titles, and what a camera reads below each. */
const seen = (stdout: string) =>
  stdout.split(/\n(?=\d+ {2})/).map((part) => {
    const [title, ...lines] = part.replace(/\n$/, '').split('\n')
    return [title, readTerminal(`${lines.filter((line) => line !== '').join('\n')}\n`, 'dark')]
  })

const open = async (products: readonly string[], way?: Way) => {
  const { ended, must } = await openWorld(way)
  const order = await ended(...products)
  return {
    values: async (kind: string): Promise<string[]> =>
      (await must('redeem', order, '--only', kind, '--reveal')).trim().split('\n'),
    draw: async (...words: string[]) => seen(await must('redeem', order, '--qr', '--reveal', ...words)),
  }
}

test.each([
  ['in process', {}],
  ['by the built executable', byExecutable],
])('draws the link of each card, with its number, SKU and value, %s', async (_way, way) => {
  const { values, draw } = await open(['GAME-US:25x2', 'RIDE-JP:1000'], way)
  const links = await values('link')
  expect(await draw()).toEqual([
    ['1  GAME-US  25.00 USD', links[0]],
    ['2  GAME-US  25.00 USD', links[1]],
    ['3  RIDE-JP  1,000 JPY', links[2]],
  ])
})

test('draws the code where there is no link; --only, --sku and --card choose', async () => {
  const { values, draw } = await open(['GAME-US:25x2', 'COFFEE-CA:15'])
  const [, second, coffee] = await values('code')
  const drawn = async (...words: string[]) => (await draw(...words)).map(([, value]) => value)
  expect(await drawn('--sku', 'COFFEE-CA')).toEqual([coffee])
  expect(await drawn('--only', 'code', '--card', '2')).toEqual([second])
})
