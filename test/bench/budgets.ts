// The bench of budgets: the check of a confirm against a budget per month, with more and more orders in the month, in both
// databases. It judges nothing.
import { performance } from 'node:perf_hooks'
import { type JournalKind, journalKinds } from '../journal/journals.ts'
import { owner } from '../journal/order-desk.ts'
import { median, renderTable, whole } from './table.ts'

const sizes = [1_000, 100_000, 1_000_000]
const rounds = 51
const chunk = 50_000

const from = Date.UTC(2026, 6, 1)
/** The last minute of the month: the most hours that a check can read, and a full hour that it adds up. */
const now = Date.UTC(2026, 7, 1) - 60_000
const locked = { limits: [{ kind: 'month', currency: 'USD', amount: '1000000000' }], now } as const

/** Orders of many totals, at even distances over the month. PostgreSQL limits the time of a statement. */
const fill = (count: number, first: number): string => `
  WITH RECURSIVE numbers (n) AS (
    SELECT ${first} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${Math.min(count, first + chunk) - 1}
  )
  INSERT INTO orders (account, profile, origin, order_id, standing, wallet, total, placed_at, changed_at, reserved_at)
  SELECT 1, 'shop', 'https://orders.example', 'ord_' || n, 'successful', 'USD', (n % 500 + 1) || '.50', 1, 1,
    ${from} + CAST(n AS BIGINT) * ${Math.floor((now - from) / count)}
  FROM numbers`

const measure = async (kind: JournalKind, count: number) => {
  const { journal, query, close } = await kind.openShared()
  try {
    await query(`INSERT INTO accounts (number, address) VALUES (1, '${owner.account.address}')`)
    // No sum is kept yet.
    if (kind.name === 'PostgreSQL') await query('ALTER TABLE orders DISABLE TRIGGER inserted_orders_forget')
    for (let first = 0; first < count; first += chunk) await query(fill(count, first))
    if (kind.name === 'PostgreSQL') await query('ALTER TABLE orders ENABLE TRIGGER inserted_orders_forget')
    const { check } = journal.openTables(({ runTransaction }) => ({
      check: (isConfirming: boolean) =>
        runTransaction(({ budgets }) => budgets.readUses(locked, { account: owner.account, isConfirming })),
    }))
    const time = async (isConfirming: boolean): Promise<number> => {
      const start = performance.now()
      await check(isConfirming)
      return performance.now() - start
    }
    const without = await time(false)
    const first = await time(true)
    const later: number[] = []
    for (let round = 0; round < rounds; round += 1) later.push(await time(true))
    return { without, first, later: median(later) }
  } finally {
    await close()
  }
}

const ms = (value: number): string => value.toFixed(2)

const rows: string[][] = []
for (const kind of journalKinds) {
  let smallest: number | undefined
  for (const size of sizes) {
    const { without, first, later } = await measure(kind, size)
    smallest ??= later
    rows.push([
      `${kind.name}, ${whole(size)} orders`,
      ...[without, first, later].map(ms),
      (later / smallest).toFixed(2),
    ])
  }
}
const head = ['a check of a budget per month', 'ms, no sums', 'ms, first', `ms, median of ${rounds}`, 'ratio']
process.stdout.write(`${renderTable([head, ...rows])}\n`)
