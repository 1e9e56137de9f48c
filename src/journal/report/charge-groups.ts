// Adds up the orders that were charged, grouped by the keys of a report. The database adds them up, so that the result
// is small however many orders there are.
import { sandboxAddress } from '../../contract/account-id.ts'
import type { ReportKey } from '../../contract/report/report.ts'
import type { Row, Statements, Values } from '../database/database.ts'
import type { Journal } from '../journal.ts'
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

export const readChargeGroups = (
  { read }: Journal,
  { by, from, until, profile }: ChargeQuery,
): Promise<ChargeGroup[]> =>
  read(async ({ statements }) => {
    const values: Values = { from, until, ...(profile === undefined ? {} : { profile }) }
    const isSelected = profile === undefined ? await selectAccounts(statements) : 'profile = $profile'
    const select = (groupsAmounts: boolean): Promise<Row[]> =>
      statements.all(createChargeSql(statements.dialect, { by, isSelected, groupsAmounts }), values)
    const rows = await select(false)
    // Few journals have such amounts, and to keep them apart takes longer.
    const hasLongAmounts = rows.some(({ unscaled }) => Number(unscaled) > 0)
    const columns = by.map((_, index) => `key${index}`)
    return (hasLongAmounts ? await select(true) : rows).map((row) => toGroup(row, columns))
  })

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
  delivered: Number(row.delivered),
  scaled: row.scaled as bigint | null,
  amount: row.amount as string | null,
})

const toValue = (value: unknown): string | number | null =>
  typeof value === 'bigint' ? Number(value) : (value as string | null)
