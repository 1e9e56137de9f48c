// batch run and batch export together: from a file of people to a file of codes.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { openWorld, overSocket } from '../../../support/world.ts'

type Row = Record<string, string>

const readRows = (file: string): Row[] =>
  parse(readFileSync(file, 'utf8'), { columns: true, record_delimiter: '\r\n' })

test('each person of the input gets the cards of the row, and no code is given twice', async () => {
  const { run, must, file, home } = await openWorld(overSocket)
  const people = Array.from({ length: 13 }, (_, index) => `person-${index}`)
  const input = file(
    `Article,Amount,productType,quantity,name\n${people.map((name, index) => `${index % 2 === 0 ? 'GAME-US,25,' : 'COFFEE-US,5,range'},${1 + (index % 3)},${name}`).join('\n')}\n`,
    'gifts.csv',
  )
  const maps = ['--map', 'sku=Article', '--map', 'quote=Amount']
  const bought = await run(['batch', 'run', input, ...maps, '--wallet', 'USD', '--max-total', '5000'])
  expect(bought).toMatchObject({ exit: 0 })
  const [codes, again] = ['codes.csv', 'again.csv'].map((name) => path.join(home, name)) as [string, string]
  await must('batch', 'export', 'gifts', codes)
  const rows = readRows(codes)
  const wanted = people.flatMap((name, index) => Array<string>(1 + (index % 3)).fill(name))
  expect(rows.map(({ name }) => name)).toEqual(wanted)
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['delivered']))
  expect(new Set(rows.map(({ code, pin }) => code || pin)).size).toBe(wanted.length)
  await must('batch', 'export', '@last', again)
  expect(readFileSync(again, 'utf8')).toBe(readFileSync(codes, 'utf8'))
  const reveals = JSON.parse(await must('list', '--reveals', '--json'))
  expect(reveals.length).toBe(2 * new Set(rows.map(({ order_id }) => order_id)).size)
})
