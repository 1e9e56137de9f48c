// What the orders of an account add up to, by the hour. The sums of past hours are kept, so that a confirm does not read
// all orders of the month.
import type { Committed } from '../batches/slot-guard.ts'
import type { Row, Statements } from '../database/database.ts'
import { runForRows } from '../database/many-rows.ts'
import { createSpentKey } from '../tables/limits.ts'

export const hourMs = 60 * 60 * 1000
const endOfTime = '9223372036854775807'

// The database joins the totals of an hour to one text.
const separator = '\n'
const pair = "coalesce(total, '') || ' ' || count"

/** Hours count from 1970. */
type Scope = {
  readonly address: string
  readonly currency: string
  /** The first hours of the periods, by their names. */
  readonly starts: Readonly<Record<string, number>>
  /** This hour and all later ones are never kept. */
  readonly current: number
  /** An order that does not count. */
  readonly except: number | undefined
}

/** Orders of the same account with the same total. The count is -1 for the order that does not count. */
type Spent = Committed & {
  /** The declared name of the account. */
  readonly name: string | undefined
  /** Of the orders, or the first of several hours in the same periods. */
  readonly hour: number
  /** The number of the account, if the sum of the hour is not kept. */
  readonly account: number | undefined
}

export const createSpentHours = (statements: Statements) => {
  const { all, dialect } = statements

  /**
   * One statement, so that no order changes between the sums that are kept and the hours that it adds up. Without the
   * subquery for each hour, PostgreSQL reads all orders of the account for each hour.
   */
  const createQuery = (periods: readonly string[]): string => `
    WITH RECURSIVE hours (hour) AS (
      SELECT CAST($first AS BIGINT) UNION ALL SELECT hour + 1 FROM hours WHERE hour < $current
    ), others AS MATERIALIZED (
      SELECT lower(name) AS name, hour, accounts.number AS account, (SELECT string_agg(${pair}, '${separator}') FROM (
          SELECT coalesce(counted, total) AS total, count(*) AS count FROM orders ${dialect.indexedBy('reserved_orders')}
          WHERE orders.account = accounts.number AND wallet = $currency AND reserved_at >= hour * ${hourMs}
            AND reserved_at < CASE hour WHEN $current THEN ${endOfTime} ELSE (hour + 1) * ${hourMs} END
          GROUP BY coalesce(counted, total)) AS totals) AS spent
      FROM accounts ${dialect.orderedJoin} hours ON TRUE
      WHERE lower(address) = $address AND (hour = $current OR NOT EXISTS (SELECT 1 FROM spent_hours AS kept
        WHERE kept.account = accounts.number AND kept.wallet = $currency AND kept.hour = hours.hour))
    )
    SELECT lower(name) AS name, min(hour) AS hour, CAST(NULL AS BIGINT) AS account, 1 AS is_kept,
      string_agg(total || ' 1', '${separator}') AS spent
    FROM accounts ${dialect.orderedJoin} spent_hours ON account = number
    WHERE lower(address) = $address AND wallet = $currency AND hour >= $first AND hour < $current
    GROUP BY ${['lower(name)', ...periods.map((period) => `hour >= $${period}`)].join(', ')}
    UNION ALL
    SELECT name, hour, account, 0, spent FROM others WHERE spent IS NOT NULL
    UNION ALL
    SELECT lower(name), reserved_at / ${hourMs}, CAST(NULL AS BIGINT), 0, coalesce(counted, total, '') || ' -1'
    FROM orders JOIN accounts ON accounts.number = account
    WHERE orders.number = $except AND lower(address) = $address AND wallet = $currency
      AND reserved_at >= $first * ${hourMs}`

  const readHours = async ({ starts, except, ...scope }: Scope): Promise<Spent[]> => {
    const first = Math.min(...Object.values(starts))
    const rows = await all(createQuery(Object.keys(starts)), {
      ...scope,
      ...starts,
      first,
      except: except ?? null,
    })
    return rows.flatMap(toSpent)
  }

  /**
   * Until the end of the transaction, no other one changes a reserved order of these accounts. Returns false if one has
   * changed an order and not ended yet.
   */
  const lockAccounts = async (accounts: ReadonlySet<unknown>): Promise<boolean> => {
    if (dialect.name === 'sqlite') return true
    const rows = await all(`SELECT pg_try_advisory_xact_lock(${createSpentKey('number')}) AS is_locked
      FROM accounts WHERE number IN (${[...accounts].join(', ')})`)
    return rows.every(({ is_locked }) => Boolean(is_locked))
  }

  const keepSums = (spent: readonly Spent[], { currency }: Scope): Promise<void> =>
    runForRows(
      statements,
      ['BIGINT', 'TEXT', 'BIGINT', 'TEXT'],
      spent.map(({ account = 0, hour, total }) => [account, currency, hour, total]),
      (list) =>
        `INSERT INTO spent_hours (account, wallet, hour, total) SELECT * FROM ${list} AS rows WHERE TRUE
         ON CONFLICT DO NOTHING`,
    )

  return {
    readHours,

    /** Also keeps the sums of past hours. The caller's transaction may write. */
    readAndKeepHours: async (scope: Scope): Promise<Spent[]> => {
      const found = await readHours(scope)
      const wanted = new Set(addUpHours(found, scope).map(({ account }) => account))
      if (wanted.size === 0 || !(await lockAccounts(wanted))) return found
      // Without the lock, an order may have changed since.
      const current = dialect.name === 'sqlite' ? found : await readHours(scope)
      await keepSums(
        addUpHours(current, scope).filter(({ account }) => wanted.has(account)),
        scope,
      )
      return current
    },
  }
}

const toSpent = ({ name, hour, account, is_kept, spent }: Row): Spent[] => {
  const totals = String(spent)
    .split(separator)
    .map((text) => {
      const end = text.lastIndexOf(' ')
      return { total: text.slice(0, end), count: Number(text.slice(end + 1)) }
    })
  const all = is_kept === 1n ? [{ total: addAmounts(totals), count: 1 }] : totals
  return all.map((each) => ({
    ...each,
    name: name === null ? undefined : String(name),
    hour: Number(hour),
    account: account === null ? undefined : Number(account),
  }))
}

/** The sums of past hours that are not kept yet. An hour with an order whose total is unknown is never kept. */
const addUpHours = (spent: readonly Spent[], { current }: Scope): Spent[] =>
  [
    ...Map.groupBy(
      spent.filter(({ account, hour }) => account !== undefined && hour < current),
      ({ account, hour }) => `${account} ${hour}`,
    ).values(),
  ].flatMap((orders) => {
    const [first] = orders
    if (first === undefined || !orders.every(({ total }) => isAddable(total))) return []
    return [{ ...first, total: addAmounts(orders), count: 1 }]
  })

/** The totals that addAmounts can add up. The sum of a billion such amounts is within the limits of parseDecimal. */
const addable = /^(0|[1-9]\d{0,19})(\.\d{1,20})?$/
const digits = 20

const isAddable = (total: string): boolean => addable.test(total)

/** Adds up totals exactly. The journal does not load the decimals of contract/decimal.ts. */
const addAmounts = (amounts: readonly Committed[]): string => {
  const sum = amounts.reduce((before, { total, count }) => before + toUnits(total) * BigInt(count), 0n)
  const text = String(sum).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, '')
}

const toUnits = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(digits, '0'))
}
