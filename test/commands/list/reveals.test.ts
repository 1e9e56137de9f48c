// list --reveals: who revealed which codes. Each way to show a code is a reveal, and no other command is.
import { expect, test } from 'vitest'
import { openWorld, order, overNetwork, type World } from '../../support/world.ts'

const bought = async () => {
  const shop = await openWorld(overNetwork)
  return { shop, id: await shop.id(...order, '--watch') }
}

const code = /SANDBOX-[A-Z0-9]+-[A-Z0-9]+/
const reveals = async (shop: World) => JSON.parse(await shop.must('list', '--reveals', '--json'))

test.each<[line: string, showsCode: boolean]>([
  ['redeem ORDER', true],
  ['redeem ORDER --json', true],
  ['redeem ORDER --only code', true],
  ['redeem ORDER --only nothing', false],
  ['redeem ORDER -q', false],
  ['get ORDER', true],
  ['get ORDER --json', true],
  ['get ORDER --json --fields redeem', true],
  ['get ORDER --json --fields state', false],
  ['get ORDER --explain', false],
  ['get ORDER -q', false],
  ['watch ORDER', false],
  ['watch ORDER --json', true],
  ['watch ORDER -q', false],
])('%s hides the code, and shows it with --reveal: %s', async (line, showsCode) => {
  const { shop, id } = await bought()
  const words = line.replace('ORDER', id).split(' ')
  const isShown = async (...more: string[]) => {
    const { stdout, stderr } = await shop.runIn([...words, ...more])
    return code.test(stdout + stderr)
  }
  expect([await isShown(), await reveals(shop)]).toEqual([false, []])
  expect(await isShown('--reveal')).toBe(showsCode)
  expect(await reveals(shop)).toHaveLength(showsCode ? 1 : 0)
})
