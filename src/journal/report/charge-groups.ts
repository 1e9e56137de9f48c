// Adds up the orders that were charged, grouped by the keys of a report. The database adds them up, so that the result
// is small however many orders there are.
import { sandboxAddress } from '../../contract/account-id.ts'
import { parseProducts } from '../../contract/ordered-products.ts'
import type { ReportKey } from '../../contract/report/report.ts'
import type { Tables } from '../access.ts'
import type { Row, Statements, Values } from '../database/database.ts'
import type { Entry } from '../entry.ts'
import type { Journal } from '../journal.ts'
import { selectEntries } from '../queries.ts'
import { isAmount } from '../tables/sql.ts'
import { createChargeSql } from './charge-sql.ts'

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
  /** Without duplicates. */
  readonly delivered: number
  readonly duplicates: number
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

/** Leaves out orders whose amount cannot be read. The journal reports each of them, and those with unreadable products. */
export const readChargeGroups = async (journal: Journal, query: ChargeQuery): Promise<ChargeGroup[]> => {
  const groups = await journal.read((tables) => selectGroups(tables, query))
  const product = query.by.indexOf('product')
  const unreadable = [
    ...groups.filter(isUnreadable).map(({ amount }) => String(amount)),
    ...groups.map(({ values }) => values[product]).filter(isUnreadableProduct),
  ].slice(0, maxReported)
  if (unreadable.length > 0) await journal.read((tables) => selectDamaged(tables, query, unreadable))
  return groups.filter((group) => !isUnreadable(group))
}

/** A journal with so many damaged orders needs other help. */
const maxReported = 100

const isUnreadable = ({ amount }: ChargeGroup): boolean => amount !== null && !isAmount(amount)
const isUnreadableProduct = (value: string | number | null | undefined): value is string =>
  typeof value === 'string' && parseProducts(value) === undefined

const selectDamaged = (
  { statements }: Tables,
  { from, until }: ChargeQuery,
  texts: readonly string[],
): Promise<Entry[]> => {
  const values = Object.fromEntries(texts.map((text, index) => [`text${index}`, text]))
  const list = Object.keys(values).map((name) => `$${name}`)
  return selectEntries(statements, {
    where: `reserved_at >= $from AND reserved_at < $until
      AND (coalesce(charged, total) IN (${list}) OR products IN (${list}))`,
    values: { from, until, ...values },
    limit: maxReported,
  })
}

const selectGroups = async (
  { statements }: Tables,
  { by, from, until, profile }: ChargeQuery,
): Promise<ChargeGroup[]> => {
  const values: Values = { from, until, ...(profile === undefined ? {} : { profile }) }
  const isSelected = profile === undefined ? await selectAccounts(statements) : 'profile = $profile'
  const select = (groupsAmounts: boolean): Promise<Row[]> =>
    statements.all(createChargeSql(statements.dialect, { by, isSelected, groupsAmounts }), values)
  const rows = await select(false)
  // Few journals have such amounts, and to keep them apart takes longer.
  const hasLongAmounts = rows.some(({ unscaled }) => Number(unscaled) > 0)
  const columns = by.map((_, index) => `key${index}`)
  return (hasLongAmounts ? await select(true) : rows).map((row) => toGroup(row, columns))
}

/** The orders of the sandbox cost nothing, so they count only if there are no others. */
const selectAccounts = async ({ all }: Statements): Promise<string> => {
  const [other] = await all('SELECT 1 FROM accounts WHERE address <> $sandbox LIMIT 1', {
    sandbox: sandboxAddress,
  })
  return other === undefined
    ? 'TRUE'
    : `account NOT IN (SELECT number FROM accounts WHERE address = '${sandboxAddress}')`
}

const kinds: readonly ChargeKind[] = ['successful', 'partial', 'failed', 'open', 'unknown']

const toGroup = (row: Row, columns: readonly string[]): ChargeGroup => ({
  values: columns.map((column) => toValue(row[column])),
  currency: row.wallet === null ? '?' : String(row.wallet),
  kind: kinds[Number(row.kind)] ?? 'open',
  orders: Number(row.orders),
  cards: Number(row.cards),
  delivered: Number(row.delivered) - Number(row.duplicates),
  duplicates: Number(row.duplicates),
  scaled: row.scaled as bigint | null,
  amount: row.amount as string | null,
})

const toValue = (value: unknown): string | number | null =>
  typeof value === 'bigint' ? Number(value) : (value as string | null)
