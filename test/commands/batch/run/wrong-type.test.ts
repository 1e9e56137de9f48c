// A batch whose first order is refused for its type or price buys nothing, and leaves its name for corrected rows.
import path from 'node:path'
import { expect, test } from 'vitest'
import { openWorld, overNetwork } from '../../../support/world.ts'

const flags = ['--wallet', 'USD', '--max-total', '500']

const openShop = async (rows: string) => {
  const shop = await openWorld(overNetwork)
  const save = (text: string, name = 'gifts.csv') =>
    shop.file(`sku,quote,quantity,productType\n${text}`, name)
  return { ...shop, save, file: save(rows) }
}

test('the first refusal stops the run with 3, and the corrected rows get the name', async () => {
  const shop = await openShop('COFFEE-US,12.50,40,fixed\n')
  const stopped = await shop.run(['batch', 'run', shop.file, ...flags])
  expect(stopped).toMatchObject({ exit: 3 })
  expect(stopped.stderr).toContain(
    "The entered quote doesn't match the SKU; nothing was bought\n  COFFEE-US at 12.5, type fixed\n",
  )
  expect(stopped.stderr).toMatch(/the type is range\. In a file, the type is in the column productType\./)
  expect(stopped.stderr).not.toMatch(/--retry-failed|batch run gifts/)
  expect(shop.sent('create')).toBe(1)
  expect(JSON.parse(await shop.must('batch', 'show', 'gifts', '--json')).cards).toMatchObject({
    open: 40,
    failed: 0,
  })

  const fixed = shop.save('COFFEE-US,12.50,4,range\n')
  const refused = await shop.run(['batch', 'run', fixed, ...flags])
  expect(refused).toMatchObject({ exit: 11 })
  expect(refused.stderr).toContain('plan the same input to replace its rows')
  expect((await shop.run(['batch', 'plan', fixed, '--wallet', 'USD'])).stderr).toContain(
    'The earlier batch of this name bought nothing, and is cancelled',
  )
  await shop.must('batch', 'run', 'gifts', ...flags)
  expect(shop.sent('confirm')).toBe(1)
  const list = JSON.parse(await shop.must('batch', 'list', '--json'))
  expect(list.map(({ name, state }: Record<string, string>) => `${name} ${state}`)).toEqual([
    'gifts successful',
    'gifts cancelled',
  ])
})

test('after an order was created, only the refused product fails, and the name stays', async () => {
  const shop = await openShop('GAME-US,25,1,fixed\n')
  await shop.must('batch', 'run', shop.file, ...flags, '--name', 'other')
  const rows = Array.from({ length: 6 }, () => 'GAME-US,25,5,fixed\n').join('')
  const file = shop.save(`${rows}COFFEE-US,12.50,1,fixed\n`, 'more.csv')
  const { exit, stderr } = await shop.run([
    'batch',
    'run',
    file,
    '--wallet',
    'USD',
    '--max-total',
    '900',
    '--parallel',
    '1',
  ])
  expect([exit, shop.sent('confirm')]).toEqual([8, 7])
  const advice = 'Put the corrected rows into a new file: orderctl batch plan more-2.csv --wallet USD'
  const exported = await shop.run(['batch', 'export', 'more', path.join(shop.home, 'codes.csv')])
  for (const text of [stderr, exported.stderr]) {
    expect(text).toContain(`would refuse 1 failed card again: the SKU, type or price is wrong. ${advice}`)
    expect(text).not.toContain('--retry-failed')
  }
  shop.save('GAME-US,25,1,fixed\n', 'more.csv')
  expect(await shop.run(['batch', 'plan', file, '--wallet', 'USD'])).toMatchObject({ exit: 11 })
})
