// The face value of a plan by currency, if the currencies of the products are known.

import { readProductList } from '../../app/products/product-list.ts'
import type { Context } from '../../context.ts'
import { type Decimal, decimal, roundUpToLimit, sum } from '../../contract/money/decimal.ts'
import type { BatchRow } from '../../operations/batch/plan/rows.ts'
import type { Account } from '../../profiles/account.ts'
import type { FaceValue } from './screens/batches.ts'

export const findFaceValues = async (context: Context, account: Account, rows: readonly BatchRow[]) => {
  const list = await readProductList(context, account, 'the currencies of its products are not known')
  const byCurrency = Map.groupBy(rows, ({ sku }) => list?.products.get(sku)?.price.currency)
  return [...byCurrency].map(([currency, theirs]) => ({ amount: addUp(theirs), currency }))
}

/** As much as a cap needs. Undefined if not all products have the currency of the wallet. */
export const findFaceValueIn = (wallet: string, faceValues: readonly FaceValue[]): Decimal | undefined => {
  const [only, ...others] = faceValues
  return others.length === 0 && only?.currency === wallet ? roundUpToLimit(only.amount) : undefined
}

/** Rows with the same quote share one multiplication, because a batch has many rows and few prices. */
const addUp = (rows: readonly BatchRow[]): Decimal => {
  const quantities = new Map<string, number>()
  for (const { quote, quantity } of rows) quantities.set(quote, (quantities.get(quote) ?? 0) + quantity)
  return sum([...quantities].map(([quote, quantity]) => decimal(quote).times(decimal(String(quantity)))))
}
