// What the TAB key offers for batches.
import { describe, expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'
import { fillJournal, ownerAs, rowsOf } from '../batch/filled-journal.ts'

const filled = async () => {
  const shop = await openWorld()
  const { add, batches } = await fillJournal(shop.home)
  const at = Date.now()
  const gifts = await add({
    name: 'gifts',
    rows: rowsOf(2),
    maxTotal: '500',
    columns: ['name', 'cost centre'],
    id: 'bat_1',
  })
  await gifts.deliver(1)
  const stopped = await add({ name: 'stopped', maxTotal: '500', id: 'bat_2' })
  await batches.recordStop(stopped.batch.number, 'cap', at)
  const cancelled = await add({ name: 'cancelled', id: 'bat_3' })
  await batches.recordCancel(cancelled.batch.number, at)
  await add({ name: 'planned', columns: ['recipient'], id: 'bat_4' })
  await add({ name: 'elsewhere', owner: ownerAs('environment'), maxTotal: '500', id: 'bat_5' })
  const offered = async (...words: string[]): Promise<string[]> => {
    const { exit, stdout, stderr } = await shop.run(['__complete', '--', ...words], {
      env: { ORDERCTL_PROFILE: 'sandbox' },
    })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    return stdout.trimEnd().split('\n')
  }
  return {
    shop,
    offered,
    values: async (...words: string[]) => (await offered(...words)).map((line) => line.replace(/\t.*/, '')),
  }
}

test('names of the account in use, newest first, with state and age', async () => {
  const { offered } = await filled()
  expect(await offered('batch', 'show', '')).toEqual([
    '@last\tplanned, 1 h ago, planned',
    'planned\tplanned, 1 h ago',
    'cancelled\tcancelled, 1 h ago',
    'stopped\tstopped, 1 h ago',
    'gifts\tin-progress, 1 h ago',
    ':',
  ])
})

describe('for', () => {
  test.each<[string, string[]]>([
    ['batch ', ['plan', 'run', 'list', 'show', 'approve', 'export', 'cancel', ':']],
    ['batch sh', ['show', ':']],
    ['batch export g', ['gifts', ':']],
    ['batch cancel ', ['@last', 'planned', 'stopped', 'gifts', ':']],
    ['batch run ', ['@last', 'planned', 'stopped', 'gifts', ':files']],
    ['batch approve ', ['@last', 'planned', 'stopped', 'gifts', ':']],
    ['report --by column:', ['column:recipient', 'column:name', 'column:cost centre', ':']],
    ['batch plan ', [':files']],
    ['batch plan --name ', [':']],
    ['batch run --name ', [':']],
    ['batch run --wallet G', ['GBP', ':']],
    ['batch export gifts ', [':files']],
    ['batch list --profile e', ['environment', ':']],
    ['batch show gifts --fields name,b', ['name,by', 'name,buyers', ':nospace']],
    ['batch show gifts --rows --fields c', ['columns', 'cards', ':nospace']],
    ['list --batch ', ['elsewhere', 'planned', 'cancelled', 'stopped', 'gifts', ':']],
    ['list --profile sandbox --batch=g', ['--batch=gifts', ':']],
    ['list --fields b', ['by', 'batch', ':nospace']],
    ['watch b', ['batch:stopped', 'batch:gifts', ':']],
    ['reconcile batch:g', ['batch:gifts', ':']],
    ['get batch:gifts batch:', ['batch:stopped', ':']],
    ['redeem batch:', [':']],
  ])('%j', async (line, expected) => {
    const { values } = await filled()
    expect(await values(...line.split(' '))).toEqual(expected)
  })
})

test('orders come before batches', async () => {
  const { values } = await filled()
  const all = await values('watch', '')
  expect(all.at(-2)).toBe('batch:gifts')
  expect((await values('get', ''))[0]).not.toMatch(/^batch:/)
})

test('without a journal, or with a damaged one, nothing is offered', async () => {
  const shop = await openWorld()
  expect((await shop.run(['__complete', '--', 'batch', 'show', ''])).stdout).toBe(':\n')
  expect((await shop.run(['__complete', '--', 'list', '--batch', ''])).stdout).toBe(':\n')
})

test.each(['batch list', 'batch show gifts', 'batch show gifts --rows', 'batch cancel gifts'])(
  'the fields of %s exist',
  async (line) => {
    const { shop, values } = await filled()
    const words = line.split(' ')
    const fields = (await values(...words, '--fields', '')).filter((each) => !each.startsWith(':'))
    expect(fields.length).toBeGreaterThan(8)
    const flags = ['--profile', 'sandbox', '--json', '--fields', fields.join(',')]
    expect(await shop.run([...words, ...flags])).toMatchObject({ exit: 0, stderr: '' })
  },
)
