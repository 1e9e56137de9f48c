// Selects batches, and converts rows of the batch tables to values.
import type { AccountId } from '../../contract/account-id.ts'
import { foldReference } from '../../contract/reference.ts'
import type { Access } from '../access.ts'
import { readAccountCondition } from '../accounts.ts'
import { readActor } from '../actors.ts'
import type { Dialect, Row, Statements, Values } from '../database/database.ts'
import {
  type Batch,
  defaultHeader,
  type HeaderColumn,
  type StopReason,
  type StoredCard,
  type StoredRow,
} from './batch.ts'

/** With the people who planned and cancelled them. */
const selectPlanned = ({
  writtenBy,
}: Dialect): string => `(SELECT batches.*, actors.role AS actor_role, actors.os_user, actors.host,
    canceller.role AS canceller_role, canceller.os_user AS canceller_user, canceller.host AS canceller_host,
    coalesce(canceller.role, ${writtenBy}) AS canceller_written_by
  FROM batches LEFT JOIN actors ON actors.number = batches.actor
    LEFT JOIN actors AS canceller ON canceller.number = cancelled_by) AS batches`

export const selectBatches = async (
  { all, dialect }: Statements,
  condition: string,
  values: Values = {},
  limit?: number,
): Promise<Batch[]> => {
  const rows = await all(
    `SELECT * FROM ${selectPlanned(dialect)} WHERE ${condition} ORDER BY number DESC ${limit === undefined ? '' : `LIMIT ${limit}`}`,
    values,
  )
  return rows.map(readBatch)
}

export const findByName = async ({ statements }: Access, account: AccountId, name: string) => {
  const condition = `name_fold = $fold AND ${await readAccountCondition(statements, account)}`
  return (await selectBatches(statements, condition, { fold: foldReference(name) }))[0]
}

const toText = (value: unknown): string | undefined => (value === null ? undefined : String(value))
const toNumber = (value: unknown): number | undefined => (value === null ? undefined : Number(value))

const parse = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

/** A damaged list counts as empty. */
export const readTexts = (text: unknown): readonly string[] => {
  const list = parse(text)
  return Array.isArray(list) ? list.map(String) : []
}

/** A damaged header is replaced by the columns. */
const readHeader = ({ header, columns }: Row): readonly HeaderColumn[] => {
  const list = parse(header)
  const isSound = Array.isArray(list) && list.every((each) => typeof each?.name === 'string')
  return isSound ? list : defaultHeader(readTexts(columns))
}

const readBatch = (row: Row): Batch => ({
  number: Number(row.number),
  account: Number(row.account),
  profile: String(row.profile),
  origin: String(row.origin),
  id: String(row.id),
  demand: String(row.demand),
  name: String(row.name),
  wallet: String(row.wallet),
  columns: readTexts(row.columns),
  header: readHeader(row),
  format: row.format === null ? undefined : JSON.parse(String(row.format)),
  lastSlot: Number(row.last_slot),
  plannedAt: Number(row.planned_at),
  changedAt: Number(row.changed_at),
  maxTotal: toText(row.max_total),
  stopped: toText(row.stopped) as StopReason | undefined,
  startedAt: toNumber(row.started_at),
  cancelledAt: toNumber(row.cancelled_at),
  cancelledBy:
    row.cancelled_at === null
      ? undefined
      : readActor({
          role: row.canceller_role,
          os_user: row.canceller_user,
          host: row.canceller_host,
          written_by: row.canceller_written_by,
        }),
  by: readActor({ ...row, role: row.actor_role }),
})

export const readStoredRow = (row: Row): StoredRow => ({
  row: Number(row.row),
  line: Number(row.line),
  sku: String(row.sku),
  productType: String(row.product_type),
  quote: String(row.quote),
  quantity: Number(row.quantity),
  cells: readTexts(row.cells),
  given: row.given === null ? undefined : readTexts(row.given),
})

export const readCard = (row: Row): StoredCard => ({
  card: Number(row.card),
  row: Number(row.row),
  slot: Number(row.slot),
  state: String(row.state) as StoredCard['state'],
  error: toText(row.error),
  hash: toText(row.hash),
})
