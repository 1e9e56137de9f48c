// Plans a batch: packs its rows into orders, and saves the plan in the journal before anything is sent.

import { Failure } from '../../../errors.ts'
import type { Batch } from '../../../journal/batches/batches.ts'
import { listBatchRows } from '../../../journal/batches/cards.ts'
import { type NewBatch, type SavedBatch, saveBatch } from '../../../journal/batches/insert-plan.ts'
import { canReplaceRows } from '../../../journal/batches/slots.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { Owner } from '../../../journal/orders/entries.ts'
import type { Suggest } from '../../../text/suggest.ts'
import { compareRows, type RowDifference } from './compare-rows.ts'
import { identifyBatch, identifyDemand } from './identify.ts'
import { packRows } from './pack.ts'
import type { BatchRow, BatchRows } from './rows.ts'

export type Plan = Omit<NewBatch, 'at'>

export const createPlan = (rows: BatchRows, owner: Owner, name: string, wallet: string): Plan => {
  const { orders, orderOf } = packRows(rows.rows)
  return {
    ...owner,
    ...rows,
    ...{ name, wallet, lastSlot: orders },
    slotOf: (card) => (orderOf[card] ?? 0) + 1,
    id: identifyBatch(rows, owner.account, wallet),
    demand: identifyDemand(rows, owner.account, wallet),
  }
}

/** Returns the batch with this name. Throws if its rows differ. */
export const savePlan = async (
  journal: Journal,
  plan: Plan,
  { at, replacesPlan }: { readonly at: number; readonly replacesPlan: boolean },
): Promise<SavedBatch> => {
  const saved = await saveBatch(journal, { ...plan, at }, replacesPlan)
  if (saved.batch.id !== plan.id) throw await createOtherRowsFailure(journal, saved.batch, plan)
  return saved
}

const createOtherRowsFailure = async (journal: Journal, batch: Batch, plan: Plan): Promise<Failure> => {
  const { name, wallet, columns, startedAt } = batch
  const rows = await listBatchRows(journal.read, batch.number)
  const compared = compareRows({ columns, rows }, plan)
  const { columns: differing, isReordered } = compared
  const violations = [
    ...(wallet === plan.wallet ? [] : [`the wallet is ${plan.wallet}; in the batch: ${wallet}`]),
    ...differing.missing.map((column) => `the column '${column}' is missing now`),
    ...differing.added.map((column) => `the column '${column}' is new`),
    ...compared.rows.map(describeDifference),
    ...(isReordered ? ['the rows are the same, but in a different order'] : []),
  ]
  // The id of a batch depends on the account, too.
  if (violations.length === 0) {
    const problem = `the batch ${name} already has these rows, but its account had a different name or address; nothing was sent`
    return new Failure('batch-exists', problem, {
      field: '--name',
      fix: (suggest) => suggest`batch show ${name}`,
      advice: (suggest) => `If it is the same account, continue the batch: ${suggest`batch run ${name}`}`,
    })
  }
  const { length } = plan.rows
  const other = compared.rows.filter(({ kind }) => kind !== 'missing').length
  return new Failure(
    'batch-exists',
    `the batch ${name} already exists with different rows; nothing was sent`,
    {
      field: '--name',
      violations,
      advice:
        startedAt === undefined || (await canReplaceRows(journal.read, batch))
          ? 'The batch has bought nothing. Choose a different name, or plan the same input to replace its rows.'
          : (suggest) => adviseOtherName(name, length, length - other, suggest),
    },
  )
}

/** Under a different name, the same rows would be bought a second time. */
const adviseOtherName = (name: string, rows: number, same: number, suggest: Suggest): string => {
  const flag = suggest.flags({ name: `${name}-2` })
  if (same === 0) return `To buy these rows, give the batch a different name: ${flag}`
  return same === rows
    ? `To continue the batch as it was planned: ${suggest`batch run ${name}`}. ${flag} would buy the same rows again.`
    : `Put only the other rows into a file of their own. ${flag} would buy all ${rows} rows, of which ${same} ${same === 1 ? 'is' : 'are'} already in the batch.`
}

const describeDifference = (difference: RowDifference): string => {
  const row = difference.kind === 'missing' ? difference.saved : difference.given
  const place = row.line === 0 ? '--product' : `line ${row.line}`
  const described = describeRow(row)
  switch (difference.kind) {
    case 'changed':
      return `${place}: ${described}; in the batch: ${describeRow(difference.saved)}`
    case 'added':
      return `${place}: ${described}; not in the batch`
    case 'missing':
      return `${place} of the batch is missing now: ${described}`
  }
}

const describeRow = ({ sku, quote, quantity, productType, cells }: BatchRow): string => {
  const others = cells.filter((cell) => cell !== '').map((cell) => JSON.stringify(cell))
  return [`${quantity} x ${sku} at ${quote} (${productType})`, ...others].join(', ')
}
