// The main screens at three widths: no line is longer, no id, link or path is broken,
// and colours only repeat the text. The sessions show their texts.
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { openWorld, overNetwork } from '../support/world.ts'

const rows = `sku,quote,quantity,Recipient,Cost centre
GAME-US,25,2,Ada,4711
GAME-US,25,1,Ben,4712
FOOD-BR,20.35,1,Eve,4712
TEST-FAIL,10,1,Zed,
`

const openDesk = async () => {
  const shop = await openWorld(overNetwork)
  const create = (reference: string, ...products: string[]) =>
    shop.id(
      'create',
      ...products.flatMap((product) => (product.startsWith('-') ? product : ['--product', product])),
      ...['--wallet', 'USD', '--reference', reference],
    )
  const bought = await create('desk-8', 'GAME-US:25x2', 'MUSIC-FR:10.99', '--confirm', '--watch')
  const pending = await create('orderctl-2026-03-01-3f2a9c', 'GAME-US:25')
  shop.file(rows, 'team.csv')
  await shop.run(['batch', 'run', 'team.csv', '--wallet', 'EUR', '--max-total', '500'])
  return { shop, bought, pending }
}

const address = 'https://orders.a-company-with-a-long-name.example/api/v2/digital-products'

const screens = {
  list: ['list'],
  'batch list': ['batch', 'list'],
  'batch show': ['batch', 'show', 'team'],
  'batch show --rows': ['batch', 'show', 'team', '--rows'],
  report: ['report', '--by', 'column:Cost centre', '--by', 'product'],
  'report --by order': ['report', '--by', 'order'],
  get: ['get', 'ref:desk-8'],
  explain: ['explain', 'ref:desk-8'],
  redeem: ['redeem', 'ref:desk-8'],
  'redeem --reveal': ['redeem', 'ref:desk-8', '--reveal'],
  'profile list': ['profile', 'list'],
  'create --help': ['create', '--help'],
}

/** A command, link or path is never broken, so a line may be longer if it has nothing else. */
const isUnbreakable = (line: string): boolean => /^\s*(orderctl .*|(link: |address: )?https:\S+)$/.test(line)

test.each([60, 80, 140])('at %i columns', async (columns) => {
  const { shop, pending } = await openDesk()
  const env = { COLUMNS: String(columns) }
  await shop.run(['profile', 'add', 'shop', '--base-url', address, '--credential-command', 'pass show shop'])
  const shown = new Map<string, string>()
  for (const [name, words] of Object.entries(screens)) {
    const { exit, stdout, stderr } = await shop.atTerminal(words, { env })
    expect([name, exit]).toEqual([name, 0])
    shown.set(name, stdout + stderr)
    const coloured = await shop.atTerminal(words, { env: { ...env, NO_COLOR: undefined, FORCE_COLOR: '1' } })
    expect(stripVTControlCharacters(coloured.stdout)).toBe(stdout)
    if (!/help|explain/.test(name)) expect(coloured.stdout).not.toBe(stdout)
  }
  shown.set('confirm', (await shop.atTerminal(['confirm', pending], { env, answers: [false] })).stderr)
  for (const [name, text] of shown) {
    const tooLong = text.split('\n').filter((line) => line.length > columns && !isUnbreakable(line))
    expect([name, tooLong]).toEqual([name, []])
  }
  for (const { id } of shop.journal('SELECT order_id AS id FROM orders WHERE order_id IS NOT NULL')) {
    expect(shown.get('list')).toContain(id)
    if (id !== pending) expect(shown.get('report --by order')).toContain(id)
  }
  expect(shown.get('profile list')).toContain(address)
  expect(shown.get('redeem --reveal')).toMatch(/https:\/\/redeem\.example\/GAME-US\/SANDBOX(-\w{4}){4}\b/)
})
