// The days, weeks and months that a database computes are those of the calendar.
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { type ReportKey, reportKeys } from '../../../src/contract/report/report.ts'
import { findPeriod } from '../../../src/contract/time/timestamp.ts'
import { readChargeGroups } from '../../../src/journal/charge-groups.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { buildReport } from '../../../src/operations/build-report.ts'
import { openScratch } from '../../support/scratch.ts'

const dayMs = 24 * 60 * 60 * 1000
const days = Array.from({ length: 40 * 366 }, (_, index) => index * 3.1).map(Math.floor)

test('every day of a century has its month and its week', async () => {
  using scratch = openScratch()
  const journal = await openJournal(scratch.file)
  const database = new DatabaseSync(scratch.file)
  database.exec("BEGIN; INSERT INTO accounts (number, address) VALUES (1, 'orders.example')")
  const add = database.prepare(
    `INSERT INTO orders (account, profile, origin, standing, wallet, total, placed_at, changed_at, confirmed_at, reserved_at)
     VALUES (1, 'shop', '', 'confirmed', 'USD', '1', ?, 1, 1, ?)`,
  )
  for (const day of days) add.run(day, day * dayMs + dayMs - 1)
  database.exec('COMMIT')
  database.close()
  const by: ReportKey[] = reportKeys.slice(0, 3)
  const span = { by, from: 0, until: Number.MAX_SAFE_INTEGER }
  const { rows } = buildReport(await readChargeGroups(journal.read, span), span)
  await journal.close()
  const found = rows.map(({ keys }) => keys.join(' '))
  expect(found).toEqual(
    [...new Set(days)]
      .sort((one, other) => one - other)
      .map((day) => {
        const date = new Date(day * dayMs).toISOString()
        const thursday = new Date(findPeriod('week', day * dayMs).from + 3 * dayMs)
        const first = Date.UTC(thursday.getUTCFullYear(), 0, 1)
        const week = String(Math.floor((thursday.getTime() - first) / dayMs / 7) + 1).padStart(2, '0')
        return `${date.slice(0, 10)} ${thursday.getUTCFullYear()}-W${week} ${date.slice(0, 7)}`
      }),
  )
})
