// The SQL that adds up charged orders. It computes with integers, and looks up names only for groups, because this is
// much faster.
import { dayMs } from '../../contract/duration.ts'
import { chargeDecimals } from '../../contract/report/amount.ts'
import type { ReportKey } from '../../contract/report/report.ts'
import type { Dialect } from '../database/database.ts'
import { isDecimalSql } from '../tables/sql.ts'

/** When the last confirm of the order was recorded (see reserved_at). */
const day = `reserved_at / ${dayMs}`

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
  // In a shared journal, another role may have written the order for the actor.
  person: ({ name }) => (name === 'sqlite' ? 'actor' : "concat(actor, ' ', written_by)"),
  profile: () => 'profile',
  batch: () => 'batch',
  'reference-prefix': ({ beforeDigit }) => `rtrim(${beforeDigit('reference')}, ' -_./:#')`,
}

/** As nameActor. */
const namePerson = (actor: string, writtenBy: string): string => `coalesce(
  (SELECT CASE WHEN role = ${writtenBy} THEN role ELSE coalesce(role, os_user) || ' (written by ' || ${writtenBy} || ')' END
   FROM actors WHERE actors.number = CAST(nullif(${actor}, '') AS BIGINT)), 'unknown (written by ' || ${writtenBy} || ')')`

/** Of the keys that are numbers of other rows. */
const names: Readonly<Partial<Record<ReportKey, (number: string, dialect: Dialect) => string>>> = {
  person: (key, { name }) =>
    name === 'sqlite'
      ? `(SELECT os_user FROM actors WHERE actors.number = ${key})`
      : namePerson(`split_part(${key}, ' ', 1)`, `substr(${key}, strpos(${key}, ' ') + 1)`),
  batch: (number) => `(SELECT name FROM batches WHERE batches.number = ${number})`,
}

/** The index in `kinds` of charge-groups.ts. */
const kindOf = `CASE WHEN standing <> 'confirmed' THEN 4 WHEN result IS NULL THEN 3
  WHEN result = 'successful' THEN 0 WHEN result = 'partial' THEN 1 ELSE 2 END`

/** The sum of nine thousand of the largest such amounts fits into an integer. */
const maxLength = 11

/**
 * The amount as an integer, or NULL if it has more decimals or cannot be read. A double holds so few digits exactly, and reading one is
 * much faster than changing the text.
 */
const createScaled = ({
  name,
}: Dialect): string => `CASE WHEN size <= ${maxLength} AND ${isDecimalSql[name]('amount')} THEN
  CASE WHEN point = 0 THEN CAST(amount AS BIGINT) * ${10 ** chargeDecimals} WHEN size - point <= ${chargeDecimals}
  THEN CAST(round(CAST(amount AS DOUBLE PRECISION) * ${10 ** chargeDecimals}) AS BIGINT) END END`

/** Without a limit, SQLite would compute the columns of an inner query once for each use. */
const noLimit = 'LIMIT 9223372036854775807'

export type ChargeSqlOptions = {
  readonly by: readonly ReportKey[]
  /** The condition of the accounts. */
  readonly isSelected: string
  /** Whether amounts that are too long for a sum have groups of their own. */
  readonly groupsAmounts: boolean
}

export const createChargeSql = (
  dialect: Dialect,
  { by, isSelected, groupsAmounts }: ChargeSqlOptions,
): string => {
  const keys = by.map((_, index) => `key${index}`).join(', ')
  const keyValues = by.map((key, index) => `${keyColumns[key](dialect)} AS key${index}`).join(', ')
  const amount = 'coalesce(charged, total)'
  const priced = `SELECT ${keyValues}, wallet, ${kindOf} AS kind, cards, delivered, duplicate_cards,
      ${amount} AS amount, ${dialect.position(amount, '.')} AS point, length(${amount}) AS size
    FROM orders ${dialect.indexedBy('charged_orders')}
    WHERE reserved_at >= $from AND reserved_at < $until
      AND standing IN ('confirming', 'confirmed') AND ${isSelected} ${noLimit}`
  const charges = `SELECT ${keys}, wallet, kind, cards, delivered, duplicate_cards, ${groupsAmounts ? 'amount,' : ''} ${createScaled(dialect)} AS scaled
    FROM (${priced}) AS priced ${noLimit}`
  const columns = by.map((key, index) => {
    const column = `charges.key${index}`
    return { column, shown: `${names[key]?.(column, dialect) ?? column} AS key${index}` }
  })
  const longAmount = groupsAmounts ? 'CASE WHEN scaled IS NULL THEN amount END' : 'NULL'
  const groups = [
    ...columns.map(({ column }) => column),
    'wallet',
    'kind',
    ...(groupsAmounts ? [longAmount] : []),
  ]
  return `SELECT ${columns.map(({ shown }) => shown).join(', ')}, wallet, kind, ${longAmount} AS amount,
      count(*) AS orders, count(*) - count(scaled) AS unscaled, coalesce(sum(cards), 0) AS cards,
      coalesce(sum(delivered), 0) AS delivered, coalesce(sum(duplicate_cards), 0) AS duplicates, sum(scaled) AS scaled
    FROM (${charges}) AS charges
    GROUP BY ${groups.join(', ')}`
}
