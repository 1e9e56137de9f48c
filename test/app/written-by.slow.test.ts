// Each screen names the database role that wrote what it shows, if that is not the role of the actor.
import { expect, test } from 'vitest'
import { openTeamShop } from '../support/postgres/team-shop.ts'

test('every screen says that bob wrote it in the name of ana, and JSON has both', async () => {
  const shop = await openTeamShop('bob')
  const { must, json } = shop
  await must('ana', 'profile', 'limits', '--budget', '500USD/day')
  const order = ['--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'one']
  const id = (await must('ana', 'create', ...order, '--confirm', '--watch', '-q')).trim()
  const revealed = await must('ana', 'redeem', id, '--reveal', '--json')
  const [, code = ''] = /"redeemCardCode": "([^"]+)"/.exec(revealed) ?? []
  shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'gifts.csv')
  await must('ana', 'batch', 'plan', 'gifts.csv', '--wallet', 'USD')
  const tables = ['orders', 'calls', 'reveals', 'batches', 'limits']
  const forge = tables.map((table) => `UPDATE ${table} SET written_by = '${shop.nameOf('bob')}'`).join('; ')
  await shop.admin(`SET session_replication_role = replica; ${forge}`)

  const search = { input: code }
  const both = { role: 'ana', writtenBy: 'bob' }
  const cases: readonly (readonly [words: string[], data: object, situation?: { input: string }])[] = [
    [['list'], [{ by: both }]],
    [['list', '--mine'], [{ by: both }]],
    [['reveals'], [{ by: both }]],
    [['explain', id], { by: both, reveals: [{ by: both }], calls: [{ by: both }, { by: both }] }],
    [['find'], { orders: [{ by: both, reveals: [{ by: both }] }] }, search],
    [['batch', 'show', 'gifts'], { by: both }],
    [['profile', 'limits'], { budgets: [{ by: both }] }],
    [['report', '--by', 'person'], { rows: [{ keys: { person: 'ana (written by bob)' } }] }],
  ]
  for (const [words, data, situation] of cases) {
    const { stdout } = await shop.as('ana', words, { ...situation, env: { COLUMNS: '200' } })
    const shown = stdout.replaceAll(`${shop.name}_`, '').replaceAll(/\s+/g, ' ')
    // Only --json says who set a budget.
    if (words[1] !== 'limits') expect(shown, words.join(' ')).toContain('ana (written by bob)')
    expect((await json('ana', words, situation)).data, words.join(' ')).toMatchObject(data)
  }
})
