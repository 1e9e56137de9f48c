// Reads the rows of a batch, and plans its orders.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { createPlan, type Plan } from '../../operations/batch/plan/plan.ts'
import type { Account } from '../../profiles/account.ts'
import { ownerOf } from '../shared/journal/owner-of.ts'
import { readProductList } from '../shared/products/product-list.ts'
import { refuseFlags } from '../shared/read-options.ts'
import { readBatchName } from './input/batch-name.ts'
import { type ColumnMap, createColumnMap } from './input/column-map.ts'
import { readBatchRows } from './input/read-rows.ts'
import type { PlanOptions } from './spec.ts'

type Source = Pick<PlanOptions, 'file' | 'product' | 'map' | 'name' | 'wallet'>

/** What the rows of a batch are read from. */
export type PlanInput = Omit<Source, 'map'> & { readonly map: ColumnMap }

/** Throws if the rows are missing, or if values of --map contradict each other. */
export const planInputOf = (
  { file, product, map, name, wallet }: Source,
  { path, files }: { readonly path: string; readonly files: string },
): PlanInput => {
  if (file === undefined && product.length === 0) {
    refuseFlags(path, [{ text: `${path} needs ${files} or --product`, field: '--product' }])
  }
  return { file, product, map: createColumnMap(path, map), name, wallet }
}

export type ReadPlan = {
  readonly plan: Plan
  /** Says which products the account does not sell. */
  readonly unsold: Failure | undefined
  /** Whether it is known what the account sells. */
  readonly hasList: boolean
}

export const readPlan = async (context: Context, account: Account, input: PlanInput): Promise<ReadPlan> => {
  const name = readBatchName(input.name, input.file) ?? generateName(context)
  const wallet = input.wallet ?? (account.kind === 'service' ? account.wallet : undefined)
  if (wallet === undefined) {
    throw new Failure('usage', 'the wallet is missing', {
      field: '--wallet',
      fix: 'Name the wallet to pay from, such as --wallet USD.',
    })
  }
  const list = await readProductList(context, account)
  // The type is a part of the id of a batch. So it does not depend on a product file, which may change.
  const typeOf = (sku: string): string | undefined =>
    account.kind === 'sandbox' ? list?.products.get(sku)?.productType : undefined
  const { file, product: products, map } = input
  const { rows, unsold } = await readBatchRows(context, { file, products, map, list, typeOf })
  return {
    plan: createPlan(rows, ownerOf(account), { name, wallet }),
    unsold,
    hasList: list !== undefined,
  }
}

const generateName = ({ clock }: Context): string =>
  `batch-${new Date(clock.now()).toISOString().slice(0, 10)}-${clock.newId().replaceAll('-', '').slice(0, 6)}`
