// batch list: its widths, and exact amounts. show.session has the others.
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'
import { fillJournal, rowsOf } from './filled-journal.ts'

const filled = async () => {
  const shop = await openWorld()
  const { add, batches } = await fillJournal(shop.home)
  await add({ name: 'planned', rows: rowsOf(3) })
  const running = await add({ name: 'running', rows: rowsOf(3), maxTotal: '5000', id: 'bat_1' })
  await running.deliver(1)
  await running.buy(2, 'confirmed')
  const stopped = await add({ name: 'stopped', rows: rowsOf(2), maxTotal: '100' })
  await stopped.deliver(1)
  await batches.recordStop(stopped.batch.number, 'cap', Date.now())
  const unknown = await add({ name: 'unknown', rows: rowsOf(2), maxTotal: '500' })
  await unknown.deliver(1)
  await unknown.buy(2, 'unknown')
  return shop
}

test.each([60, 80, 140])(
  'says who planned each batch if several people did, at %i columns',
  async (columns) => {
    const shop = await filled()
    const list = () => shop.run(['batch', 'list'], { env: { COLUMNS: String(columns) } })
    expect((await list()).stdout).not.toMatch(/\bBY\b|^by:/m)
    const { add } = await fillJournal(shop.home, 'ben')
    await add({ name: 'of-ben', rows: rowsOf(2) })
    const { stdout } = await list()
    const [first = ''] = columns === 60 ? stdout.split('\n\n') : stdout.split('\n').slice(2)
    expect(first).toMatch(/of-ben/)
    expect(first).toMatch(columns === 60 ? /^by: ben$/m : / ben( |$)/)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns)
  },
)

test('leaves out the profile first, at 78 columns', async () => {
  const shop = await filled()
  const { stdout } = await shop.run(['batch', 'list'], { env: { COLUMNS: '78' } })
  expect(stdout).not.toContain('PROFILE')
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(78)
})

test('prints exact amounts', async () => {
  const shop = await openWorld()
  const { add } = await fillJournal(shop.home)
  await add({ maxTotal: '12345678901234567.10', wallet: 'KWD' })
  expect(await shop.must('batch', 'list', '--json')).toContain('"maxTotal": 12345678901234567.1,\n')
})
