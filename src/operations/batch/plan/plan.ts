// Plans a batch: packs its rows into orders, and saves the plan in the journal before anything is sent.
import { Failure } from '../../../errors.ts'
import type { Batch, StoredRow } from '../../../journal/batches/batch.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import type { Owner } from '../../../journal/entry.ts'
import type { Suggest } from '../../../text/suggest.ts'
import { compareRows, type RowDifference, type RowsComparison } from './compare-rows.ts'
import { identifyBatch, identifyDemand } from './identify.ts'
import { listWantedCards, type Packing, packCards } from './pack.ts'
import { type BatchRow, type BatchRows, createQuoteFormatter, toBatchRows } from './rows.ts'

export type Plan = {
  readonly name: string
  readonly wallet: string
  readonly rows: BatchRows
  readonly packing: Packing
  readonly id: string
  readonly demand: string
}

export const createPlan = (
  rows: BatchRows,
  { account }: Pick<Owner, 'account'>,
  { name, wallet }: Pick<Plan, 'name' | 'wallet'>,
): Plan => ({
  name,
  wallet,
  rows,
  packing: packCards(listWantedCards(rows.rows)),
  id: identifyBatch(rows, account, wallet),
  demand: identifyDemand(rows, account, wallet),
})

type SaveOptions = { readonly at: number; readonly replacesPlan: boolean }

/** Returns the batch of this name. Throws if it has other rows. */
export const savePlan = async (
  batches: Batches,
  owner: Owner,
  plan: Plan,
  { at, replacesPlan }: SaveOptions,
): Promise<{ readonly batch: Batch; readonly isNew: boolean }> => {
  const { name, wallet, id, demand, packing } = plan
  const saved = await batches.saveBatch(
    {
      ...owner,
      name,
      wallet,
      id,
      demand,
      at,
      columns: plan.rows.columns,
      header: plan.rows.header,
      format: plan.rows.format,
      lastSlot: packing.orders,
      rows: listStoredRows(plan.rows),
      slotOf: (card) => (packing.orderOf[card] ?? 0) + 1,
    },
    replacesPlan,
  )
  if (saved.batch.id !== id) throw await createOtherRowsFailure(batches, saved.batch, plan)
  return saved
}

/** Can be read several times, because the journal may repeat a transaction. */
const listStoredRows = ({ rows }: BatchRows): Iterable<Omit<StoredRow, 'row'>> => {
  const formatQuote = createQuoteFormatter()
  return { [Symbol.iterator]: () => rows.values().map((row) => ({ ...row, quote: formatQuote(row.quote) })) }
}

const createOtherRowsFailure = async (batches: Batches, batch: Batch, plan: Plan): Promise<Failure> => {
  const rows = toBatchRows(await batches.listRows(batch.number))
  const comparison = compareRows({ columns: batch.columns, rows }, plan.rows)
  if (batch.wallet === plan.wallet && isWithoutDifference(comparison)) return createOtherAccountFailure(batch)
  const differences = describeComparison(comparison)
  const other = comparison.rows.filter(({ kind }) => kind !== 'missing').length
  return new Failure(
    'duplicate',
    `the batch ${batch.name} already exists with different rows; nothing was sent`,
    {
      field: '--name',
      violations: [
        ...(batch.wallet === plan.wallet
          ? []
          : [`the wallet is ${plan.wallet}; in the batch: ${batch.wallet}`]),
        ...differences,
      ],
      fix:
        batch.startedAt === undefined
          ? 'The batch has not started. Choose another name, or replace its rows: plan the same input.'
          : (suggest) =>
              adviseOtherName(batch, plan.rows.rows.length, plan.rows.rows.length - other, suggest),
    },
  )
}

const isWithoutDifference = ({ columns, rows, isReordered }: RowsComparison): boolean =>
  [...columns.missing, ...columns.added, ...rows].length === 0 && !isReordered

/** The id of a batch depends on the account, too. */
const createOtherAccountFailure = ({ name }: Batch): Failure =>
  new Failure(
    'duplicate',
    `the batch ${name} already has these rows, and its account had another name or address; nothing was sent`,
    {
      field: '--name',
      fix: (suggest) => `If it is the same account, continue the batch: ${suggest`batch run ${name}`}`,
    },
  )

/** Under another name, the rows that are the same would be bought a second time. */
const adviseOtherName = ({ name }: Batch, rows: number, same: number, suggest: Suggest): string => {
  const flag = suggest.flags({ name: `${name}-2` })
  if (same === 0) return `To buy these rows, give the batch another name: ${flag}`
  return same === rows
    ? `To continue the batch as it was planned: ${suggest`batch run ${name}`}. ${flag} would buy the same rows again.`
    : `Put only the other rows into a file of their own. ${flag} would buy all ${rows} rows, of which ${same} ${same === 1 ? 'is' : 'are'} already in the batch.`
}

const describeComparison = ({ columns, rows, isReordered }: RowsComparison): string[] => [
  ...columns.missing.map((name) => `the column '${name}' is missing now`),
  ...columns.added.map((name) => `the column '${name}' is new`),
  ...rows.map(describeDifference),
  ...(isReordered ? ['the rows are the same, but in another order'] : []),
]

const describeDifference = (difference: RowDifference): string => {
  switch (difference.kind) {
    case 'changed':
      return `${namePlace(difference.given)}: ${describeRow(difference.given)}; in the batch: ${describeRow(difference.saved)}`
    case 'added':
      return `${namePlace(difference.given)}: ${describeRow(difference.given)}; not in the batch`
    case 'missing':
      return `${namePlace(difference.saved)} of the batch is missing now: ${describeRow(difference.saved)}`
  }
}

const namePlace = ({ line }: BatchRow): string => (line === 0 ? '--product' : `line ${line}`)

const describeRow = ({ sku, quote, quantity, productType, cells }: BatchRow): string => {
  const others = cells.filter((cell) => cell !== '').map((cell) => JSON.stringify(cell))
  return [`${quantity} x ${sku} at ${quote.toFixed()} (${productType})`, ...others].join(', ')
}
