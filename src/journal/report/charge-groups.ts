// Adds up the orders that were charged, grouped by the keys of a report. The database adds them up, so that the result
// is small however many orders there are.
import { sandboxAddress } from '../../contract/account-id.ts'
import type { ReportKey } from '../../contract/report.ts'
import type { Row, Value, Values } from '../database/database.ts'
import type { Dialect } from '../database/dialect.ts'
import type { JournalParts } from '../journal.ts'

export type ChargeKind = 'successful' | 'partial' | 'failed' | 'open' | 'unknown'

/** Orders that have the same values. */
export type ChargeGroup = {
  /** One for each key. A day for the keys day, week and month, counted from 1970; see formatProducts for a product. */
  readonly values: readonly (string | number | null)[]
  readonly currency: string | null
  readonly kind: ChargeKind
  readonly orders: number
  readonly cards: number
  readonly delivered: number
  /** The sum of the amounts: digits with a decimal point `scale` places from the right. */
  readonly sum: { readonly digits: string; readonly scale: number } | undefined
  /** The amount of each order, if it is too long for a sum. */
  readonly amount: string | null
}

export type ChargeQuery = {
  readonly by: readonly ReportKey[]
  /** Includes this moment. */
  readonly from: number
  /** Excludes this moment. */
  readonly until: number
  readonly profile?: string | undefined
}

export const createChargeQueries = ({ tables }: JournalParts) => {
  const { all, dialect } = tables.statements

  /** The orders of the sandbox cost nothing, so they count only if there are no others. */
  const selectAccounts = async (): Promise<string> => {
    const [other] = await all('SELECT 1 FROM accounts WHERE address <> $sandbox LIMIT 1', {
      sandbox: sandboxAddress,
    })
    return other === undefined
      ? 'TRUE'
      : `account NOT IN (SELECT number FROM accounts WHERE address = '${sandboxAddress}')`
  }

  return {
    readChargeGroups: async ({ by, from, until, profile }: ChargeQuery): Promise<ChargeGroup[]> => {
      const values: Values = { from, until, ...(profile === undefined ? {} : { profile }) }
      const isSelected = profile === undefined ? await selectAccounts() : 'profile = $profile'
      return (await all(createSql(dialect, by, isSelected), values)).map((row) => toGroup(row, by))
    },
  }
}

/** When the last confirm of the order was recorded (see reserved_at). */
const day = `reserved_at / ${24 * 60 * 60 * 1000}`

const keyColumns: Readonly<Record<ReportKey, (dialect: Dialect) => string>> = {
  day: () => day,
  week: () => day,
  month: () => day,
  wallet: () => 'wallet',
  product: () => 'products',
  person: () => '(SELECT coalesce(role, os_user) FROM actors WHERE actors.number = orders.actor)',
  profile: () => 'profile',
  batch: () => '(SELECT name FROM batches WHERE batches.number = orders.batch)',
  'reference-prefix': ({ beforeDigit }) => `rtrim(${beforeDigit('reference')}, ' -_./:#')`,
}

const kinds: readonly ChargeKind[] = ['successful', 'partial', 'failed', 'open', 'unknown']
const kindOf = `CASE WHEN confirmed_at IS NULL THEN 4 WHEN standing = 'successful' THEN 0
  WHEN standing = 'partial' THEN 1 WHEN standing IN ('failed', 'rejected') THEN 2 ELSE 3 END`

const digits = "'0123456789'"
/** The sum of nine million amounts of this length fits into an integer. */
const maxLength = 12
/** `head` is the amount without its last digits: '' or '12.'. */
const isShort = `length(amount) <= ${maxLength} AND ltrim(head, ${digits}) IN ('', '.') AND amount NOT IN ('', '.')`

const createSql = (dialect: Dialect, by: readonly ReportKey[], isSelected: string): string => {
  const keys = by.map((key, index) => `${keyColumns[key](dialect)} AS key${index}`)
  const groups = [...by.map((_, index) => `key${index}`), 'wallet', 'kind']
  const count = groups.length
  return `SELECT ${groups.join(', ')},
      CASE WHEN ${isShort} THEN CASE head WHEN '' THEN 0 ELSE length(amount) - length(head) END END AS scale,
      CASE WHEN ${isShort} THEN NULL ELSE amount END AS amount,
      count(*) AS orders, sum(cards) AS cards, sum(delivered) AS delivered,
      sum(CASE WHEN ${isShort} THEN CAST(replace(amount, '.', '') AS BIGINT) END) AS digits
    FROM (SELECT ${[...keys, 'wallet'].join(', ')}, ${kindOf} AS kind, cards, delivered,
        coalesce(charged, total) AS amount, rtrim(coalesce(charged, total), ${digits}) AS head
      FROM orders ${dialect.indexedBy('charged_orders')}
      WHERE reserved_at >= $from AND reserved_at < $until
        AND (confirmed_at IS NOT NULL OR standing = 'unknown') AND ${isSelected}) AS charges
    GROUP BY ${Array.from({ length: count + 2 }, (_, index) => index + 1).join(', ')}`
}

const toGroup = (row: Row, by: readonly ReportKey[]): ChargeGroup => ({
  values: by.map((_, index) => toValue(row[`key${index}`] as Value)),
  currency: row.wallet === null ? null : String(row.wallet),
  kind: kinds[Number(row.kind)] ?? 'open',
  orders: Number(row.orders),
  cards: Number(row.cards ?? 0),
  delivered: Number(row.delivered ?? 0),
  sum: row.scale === null ? undefined : { digits: String(row.digits), scale: Number(row.scale) },
  amount: row.amount === null ? null : String(row.amount),
})

const toValue = (value: Value): string | number | null => (typeof value === 'bigint' ? Number(value) : value)
