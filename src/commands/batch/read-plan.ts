// Reads the rows of a batch, and plans its orders.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { createPlan, type Plan } from '../../operations/batch/plan/plan.ts'
import type { Account } from '../../profiles/account.ts'
import { ownerOf } from '../shared/journal/owner-of.ts'
import { catalogueTypes } from '../shared/sandbox-products.ts'
import { readBatchName } from './input/batch-name.ts'
import { readBatchRows } from './input/read-rows.ts'
import type { PlanInput } from './options.ts'

export const readPlan = async (context: Context, account: Account, input: PlanInput): Promise<Plan> => {
  const name = readBatchName(input.name, input.file) ?? generateName(context)
  const wallet = input.wallet ?? (account.kind === 'service' ? account.wallet : undefined)
  if (wallet === undefined) {
    throw new Failure('usage', 'the wallet is missing', {
      field: '--wallet',
      fix: 'Name the wallet to pay from, such as --wallet USD.',
    })
  }
  const typeOf = await catalogueTypes(account)
  const products = input.products.map(({ type, ...product }) => ({
    ...product,
    type: type ?? typeOf(product.sku),
  }))
  const rows = await readBatchRows(context, { file: input.file, products, map: input.map })
  return createPlan(rows, ownerOf(account), { name, wallet })
}

const generateName = ({ clock }: Context): string =>
  `batch-${new Date(clock.now()).toISOString().slice(0, 10)}-${clock.newId().replaceAll('-', '').slice(0, 6)}`
