// list --reveals: who revealed which codes. Each way to show a code is a reveal, and no other command is.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
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

test('each reveal has its time, user, order and SKUs, and no file of the journal contains the code', async () => {
  const { shop, id } = await bought()
  await shop.must('redeem', id)
  const code = (await shop.must('redeem', id, '--only', 'code', '--reveal')).trim()
  await shop.must('get', id, '--reveal', '--json')
  expect(`\n${await shop.must('list', '--reveals')}`).toMatchInlineSnapshot(`
    "
    WHEN                          WHO     HOW     ORDER                 SKUS     PROFILE
    ────────────────────────────────────────────────────────────────────────────────────────
    2026-03-01 12:00:04 UTC, now  tester  reveal  sbx_4mdc49tnvrc8y0zd  GAME-US  environment
    2026-03-01 12:00:04 UTC, now  tester  reveal  sbx_4mdc49tnvrc8y0zd  GAME-US  environment
    "
  `)
  expect(await reveals(shop)).toMatchObject([{ id, skus: ['GAME-US'], who: 'tester', how: 'reveal' }, { id }])
  const files = readdirSync(path.join(shop.home, 'state'), { recursive: true, withFileTypes: true })
  for (const file of files.filter((each) => each.isFile()))
    expect(readFileSync(path.join(file.parentPath, file.name))).not.toContain(code)
})
