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

test('an export of several orders is one line; --order and --until select', async () => {
  const shop = await openWorld(overNetwork)
  const product = ['--product', 'GAME-US:25x10', '--wallet', 'USD', '--name', 'gifts']
  await shop.must('batch', 'run', ...product, '--max-total', '250', '-q')
  await shop.must('batch', 'export', 'gifts', `${shop.home}/codes.csv`, '-q')
  const all = await reveals(shop)
  expect(all).toHaveLength(2)
  const { stdout } = await shop.run(['list', '--reveals'])
  expect(stdout.split('\n').slice(2)).toEqual([
    expect.stringMatching(
      /^2026-03-01 [\d:]+ UTC {2}tester {2}export {2}2 orders {2}GAME-US {2}environment$/,
    ),
    '',
  ])
  const [{ id }] = all
  expect(JSON.parse(await shop.must('list', '--reveals', '--order', id, '--json'))).toHaveLength(1)
  expect(JSON.parse(await shop.must('list', '--reveals', '--until', '2026-02-28', '--json'))).toEqual([])
})
