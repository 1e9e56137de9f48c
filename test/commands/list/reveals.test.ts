// list --reveals: who revealed which codes. A command that prints no code is not a reveal.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openWorld, order, overNetwork, type World } from '../../support/world.ts'

const bought = async () => {
  const shop = await openWorld(overNetwork)
  return { shop, id: await shop.id(...order, '--watch') }
}

const reveals = async (shop: World) => JSON.parse(await shop.must('list', '--reveals', '--json'))

test.each([
  'get ORDER --reveal -q',
  'get ORDER --reveal --json --fields state',
  'get ORDER --reveal --explain',
  'redeem ORDER --reveal -q',
  'redeem ORDER --reveal --only nothing',
])('%s is not a reveal', async (line) => {
  const { shop, id } = await bought()
  await shop.runIn(line.replace('ORDER', id).split(' '))
  expect(await reveals(shop)).toEqual([])
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
    2026-03-01 12:00:02 UTC, now  tester  reveal  sbx_4mdc49tnvrc8y0zd  GAME-US  environment
    2026-03-01 12:00:02 UTC, now  tester  reveal  sbx_4mdc49tnvrc8y0zd  GAME-US  environment
    "
  `)
  expect(await reveals(shop)).toMatchObject([
    { orderId: id, skus: ['GAME-US'], who: 'tester', how: 'reveal' },
    { orderId: id },
  ])
  const state = path.join(shop.home, 'state')
  for (const name of readdirSync(state)) expect(readFileSync(path.join(state, name))).not.toContain(code)
})
