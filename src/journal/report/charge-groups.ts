// Adds up the orders that were charged, grouped by the keys of a report. The database adds them up, so that the result
// is small however many orders there are.
import { sandboxAddress } from '../../contract/account-id.ts'
import { chargeDecimals } from '../../contract/report/amount.ts'
import type { ReportKey } from '../../contract/report/report.ts'
import type { Row, Values } from '../database/database.ts'
import type { Dialect } from '../database/dialect.ts'
import type { JournalParts } from '../journal.ts'

export type ChargeKind = 'successful' | 'partial' | 'failed' | 'open' | 'unknown'

/** Orders that have the same values. */
export type ChargeGroup = {
  /**
   * One for each key: the days since 1970-01-01, the weeks since 1969-12-29 or the months since March 1900, and
   * formatProducts for a product.
   */
  readonly values: readonly (string | number | null)[]
  readonly currency: string
  readonly kind: ChargeKind
  readonly orders: number
  readonly cards: number
  readonly delivered: number
  /** The sum of the amounts, with `chargeDecimals` decimals. */
  readonly scaled: bigint | null
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
      const read = (groupsAmounts: boolean): Promise<Row[]> =>
        all(createSql(dialect, { by, isSelected, groupsAmounts }), values)
      const rows = await read(false)
      // Few journals have such amounts, and to keep them apart takes longer.
      const hasLongAmounts = rows.some(({ unscaled }) => Number(unscaled) > 0)
      const columns = by.map((_, index) => `key${index}`)
      return (hasLongAmounts ? await read(true) : rows).map((row) => toGroup(row, columns))
    },
  }
}

/** When the last confirm of the order was recorded (see reserved_at). */
const day = `reserved_at / ${24 * 60 * 60 * 1000}`

// Integers, because both databases format dates differently, and slowly. Until March 2100, each fourth year since 1900-03-01
// has 1461 days, and from March on, five months have 153 days.
const marchDay = `(${day} + 25508)`
const marchYear = `((4 * ${marchDay} + 3) / 1461)`
const month = `${marchYear} * 12 + (5 * (${marchDay} - 1461 * ${marchYear} / 4) + 2) / 153`

const keyColumns: Readonly<Record<ReportKey, (dialect: Dialect) => string>> = {
  day: () => day,
  week: () => `(${day} + 3) / 7`,
  month: () => month,
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

/** The sum of nine thousand of the largest such amounts fits into an integer. */
const maxLength = 11

/**
 * The amount as an integer, or NULL if it has more decimals. A double holds so few digits exactly, and reading one is
 * much faster than changing the text.
 */
const scaled = `CASE WHEN amount >= '0' AND amount < ':' AND size <= ${maxLength} THEN
  CASE WHEN point = 0 THEN CAST(amount AS BIGINT) * ${10 ** chargeDecimals} WHEN size - point <= ${chargeDecimals}
  THEN CAST(round(CAST(amount AS DOUBLE PRECISION) * ${10 ** chargeDecimals}) AS BIGINT) END END`

/** Without a limit, SQLite would compute the columns of an inner query once for each use. */
const noLimit = 'LIMIT 9223372036854775807'

type SqlOptions = {
  readonly by: readonly ReportKey[]
  /** The condition of the accounts. */
  readonly isSelected: string
  /** Whether amounts that are too long for a sum have groups of their own. */
  readonly groupsAmounts: boolean
}

const createSql = (dialect: Dialect, { by, isSelected, groupsAmounts }: SqlOptions): string => {
  const keys = by.map((_, index) => `key${index}`).join(', ')
  const keyValues = by.map((key, index) => `${keyColumns[key](dialect)} AS key${index}`).join(', ')
  const amount = 'coalesce(charged, total)'
  const priced = `SELECT ${keyValues}, wallet, ${kindOf} AS kind, cards, delivered,
      ${amount} AS amount, ${dialect.position(amount, '.')} AS point, length(${amount}) AS size
    FROM orders ${dialect.indexedBy('charged_orders')}
    WHERE reserved_at >= $from AND reserved_at < $until
      AND (confirmed_at IS NOT NULL OR standing = 'unknown') AND ${isSelected} ${noLimit}`
  const charges = `SELECT ${keys}, wallet, kind, cards, delivered, ${groupsAmounts ? 'amount,' : ''} ${scaled} AS scaled
    FROM (${priced}) AS priced ${noLimit}`
  const groups = [...by, 'wallet', 'kind', ...(groupsAmounts ? ['amount'] : [])]
  return `SELECT ${keys}, wallet, kind, ${groupsAmounts ? 'CASE WHEN scaled IS NULL THEN amount END' : 'NULL'} AS amount,
      count(*) AS orders, count(*) - count(scaled) AS unscaled, coalesce(sum(cards), 0) AS cards,
      coalesce(sum(delivered), 0) AS delivered, sum(scaled) AS scaled
    FROM (${charges}) AS charges
    GROUP BY ${groups.map((_, index) => index + 1).join(', ')}`
}

const toGroup = (row: Row, columns: readonly string[]): ChargeGroup => ({
  values: columns.map((column) => toValue(row[column])),
  currency: row.wallet === null ? '?' : String(row.wallet),
  kind: kinds[Number(row.kind)] ?? 'open',
  orders: Number(row.orders),
  cards: Number(row.cards),
  delivered: Number(row.delivered),
  scaled: row.scaled as bigint | null,
  amount: row.amount as string | null,
})

const toValue = (value: unknown): string | number | null =>
  typeof value === 'bigint' ? Number(value) : (value as string | null)
