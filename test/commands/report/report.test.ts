// orderctl report on a journal of three months: its formats, its keys and its period.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openerFor, openWorld } from '../../support/world.ts'
import { fillJournal } from './charged-journal.ts'

const open = openerFor({})
let shop: Awaited<ReturnType<typeof openWorld>>
beforeAll(async () => {
  shop = await open()
  await fillJournal(shop.home)
})

const quarter = ['--since', '2026-01', '--until', '2026-03']
const run = (...words: string[]) => shop.run(['report', ...quarter, ...words])
const json = async (...words: string[]) => JSON.parse((await run('--json', ...words)).stdout)
const listCharged = async (...words: string[]): Promise<string[]> =>
  (await json(...words)).rows.map(
    (row: { key: string; charged: number; currency: string }) => `${row.key}: ${row.charged} ${row.currency}`,
  )

describe('--json', () => {
  test('has the period, a row for each key and currency, and a total for each currency', async () => {
    const none = { orders: 0, charged: 0 }
    const all = await json()
    expect({ ...all, rows: all.rows.slice(0, 2) }).toEqual({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-04-01T00:00:00.000Z',
      by: ['month'],
      rows: [
        {
          ...{ month: '2026-03', key: '2026-03', keys: ['2026-03'], currency: 'JPY' },
          ...{ orders: 2, cards: 2, delivered: 1, duplicates: 0, charged: 3500 },
          ...{ failed: { orders: 1, charged: 500 }, partial: none, open: none, unknown: none },
        },
        {
          ...{ month: '2026-01', key: '2026-01', keys: ['2026-01'], currency: 'USD' },
          ...{ orders: 2, cards: 7, delivered: 7, duplicates: 0, charged: 1284.5 },
          ...{ failed: none, partial: none, open: none, unknown: none },
        },
      ],
      total: {
        JPY: {
          ...{ orders: 2, cards: 2, delivered: 1, duplicates: 0, charged: 3500 },
          ...{ failed: { orders: 1, charged: 500 }, partial: none, open: none, unknown: none },
        },
        USD: {
          ...{ orders: 5, cards: 12, delivered: 8, duplicates: 0, charged: 1394.75 },
          failed: { orders: 1, charged: 25 },
          partial: { orders: 1, charged: 75.25 },
          open: { orders: 1, charged: 10 },
          unknown: { orders: 1, charged: 99.99 },
        },
      },
    })
  })

  test('without orders has no rows, and without --json a note says so', async () => {
    const words = ['report', '--since', '2025-01', '--until', '2025-01']
    const ran = await shop.run([...words, '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: [], total: {} })
    expect(ran).toMatchObject({ exit: 0, stderr: '' })
    expect((await shop.run(words)).stderr).toBe('No charged orders in this period\n')
  })
})

describe('--by', () => {
  test.each<[string[], string[]]>([
    [
      ['day'],
      ['2026-03-02: 3000 JPY', '2026-03-31: 500 JPY', '2026-01-05: 50 USD', '2026-01-31: 1234.5 USD'],
    ],
    [['week'], ['2026-W10: 3000 JPY', '2026-W14: 500 JPY', '2026-W02: 50 USD', '2026-W05: 1259.5 USD']],
    [['month'], ['2026-03: 3500 JPY', '2026-01: 1284.5 USD', '2026-02: 100.25 USD', '2026-03: 10 USD']],
    [['wallet'], ['JPY: 3500 JPY', 'USD: 1394.75 USD']],
    [['product'], ['GAME-JP: 3500 JPY', 'FOOD: 1234.5 USD', 'GAME-US: 160.25 USD']],
    [['person'], ['ana: 3500 JPY', 'ben: 1269.5 USD', 'ana: 125.25 USD']],
    [['profile'], ['tokyo: 3500 JPY', 'shop: 1394.75 USD']],
    [['batch'], ['(no batch): 3500 JPY', '(no batch): 1394.75 USD']],
    [
      ['month', 'person'],
      [
        '2026-03 / ana: 3500 JPY',
        '2026-01 / ben: 1234.5 USD',
        '2026-01 / ana: 50 USD',
        '2026-02 / ana: 75.25 USD',
      ],
    ],
  ])('%s', async (keys, wanted) => {
    const found = await listCharged(...keys.flatMap((key) => ['--by', key]))
    expect(found.slice(0, 4)).toEqual(wanted)
  })
})

test('with two keys, each value of the first has a subtotal', async () => {
  const { subtotals } = await json('--by', 'month', '--by', 'person')
  expect(
    subtotals.map(
      ({ month, charged, currency }: Record<string, unknown>) => `${month}: ${charged} ${currency}`,
    ),
  ).toEqual(['2026-03: 3500 JPY', '2026-01: 1284.5 USD', '2026-02: 100.25 USD', '2026-03: 10 USD'])
  const { stdout } = await run('--by', 'month', '--by', 'person')
  // Not in JPY, which has one row.
  expect(stdout.match(/^month: .*\nperson: Subtotal\ncharged: .*$/gm)).toEqual([
    'month: 2026-01\nperson: Subtotal\ncharged: 1,284.50 USD',
    'month: 2026-02\nperson: Subtotal\ncharged: 100.25 USD',
    'month: 2026-03\nperson: Subtotal\ncharged: 10.00 USD',
  ])
  expect((await json('--by', 'month')).subtotals).toBeUndefined()
})

test('--profile selects the orders of a profile', async () => {
  expect(await listCharged('--profile', 'tokyo')).toEqual(['2026-03: 3500 JPY'])
})

describe('the period', () => {
  test.each([
    [['--since', '2026-01-31', '--until', '2026-01-31'], ['2026-01: 1234.5 USD']],
    [['--since', '2026-02-01', '--until', '2026-02-13'], ['2026-02: 25 USD']],
    [['--since', '2026-03-31', '--until', '2026-03'], ['2026-03: 500 JPY']],
    [['--since', '2026-02-14 12:00', '--until', '2026-02-14T12:00Z'], ['2026-02: 75.25 USD']],
  ])('%j includes its first and last moment', async (words, wanted) => {
    const { stdout } = await shop.run(['report', '--json', ...words])
    const { rows } = JSON.parse(stdout)
    expect(
      rows.map(({ key, charged, currency }: Record<string, string>) => `${key}: ${charged} ${currency}`),
    ).toEqual(wanted)
  })

  test.each([
    [[], '2025-12-01'],
    [['--by', 'week'], '2026-08-31'],
    [['--by', 'person'], '2026-10-23'],
    [['--by', 'person', '--since', '7d'], '2026-11-15'],
    [['--by', 'person', '--until', '2026-03'], '2026-03-01'],
  ])('of %j begins on %s', async (words, first) => {
    const now = Date.parse('2026-11-22T10:30Z')
    const clock = { now: () => now, monotonic: () => now, sleep: async () => {}, newId: () => 'id' }
    const { stdout } = await shop.run(['report', '--json', ...words], { clock } as object)
    expect(JSON.parse(stdout).from).toBe(`${first}T00:00:00.000Z`)
  })
})

test('--csv has one line for each row, with exact amounts', async () => {
  const { stdout, stderr } = await run('--csv', '--by', 'month', '--by', 'person')
  expect(stderr).toBe('')
  expect(stdout.split('\r\n').slice(0, 3)).toEqual([
    '"month","person","currency","orders","cards","delivered","duplicates","charged","failed_orders","failed_charged","partial_orders","partial_charged","open_orders","open_charged","unknown_orders","unknown_charged"',
    '"2026-03","ana","JPY","2","2","1","0","3500","1","500","0","0","0","0","0","0"',
    '"2026-01","ben","USD","1","5","5","0","1234.5","0","0","0","0","0","0","0","0"',
  ])
})

describe('--html', () => {
  test('writes a page that only you can read, and overwrites nothing without --force', async () => {
    const file = path.join(shop.home, 'report.html')
    expect(await run('--html', file)).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: `Wrote ${file}\n`,
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toContain('1,394.75 USD')
    writeFileSync(file, 'mine')
    const refused = await run('--html', file)
    expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('report.html already exists') })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(await run('--html', file, '--force')).toMatchObject({ exit: 0 })
  })

  test('leaves no file if the folder does not exist', async () => {
    const ran = await run('--html', path.join(shop.home, 'missing/report.html'))
    expect(ran).toMatchObject({ exit: 9, stdout: '' })
  })
})

test('a machine without a journal has no charged orders', async () => {
  const fresh = await openWorld()
  expect(await fresh.run(['report'])).toMatchObject({
    exit: 0,
    stdout: '',
    stderr: 'No charged orders in this period\n',
  })
})

test('the sandbox counts only if nothing else was ordered, or if it is named', async () => {
  const mixed = await openWorld()
  await mixed.must('create', '--product', 'GAME-US:25', '--wallet', 'USD', '--confirm', '-q')
  const charged = async (...words: string[]) =>
    JSON.parse(await mixed.must('report', '--json', '--by', 'profile', ...words)).rows.map(
      ({ key }: { key: string }) => key,
    )
  expect(await charged()).toEqual(['sandbox'])
  // Not today, because the order is placed at noon.
  const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  await fillJournal(mixed.home, [{ on: yesterday, total: '5' }])
  expect(await charged('--since', yesterday)).toEqual(['shop'])
  expect(await charged('--profile', 'sandbox')).toEqual(['sandbox'])
})
