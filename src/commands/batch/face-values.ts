// The face value of a plan by currency, if the currencies of the products are known.
import type { Context } from '../../context.ts'
import { type Decimal, decimal, zero } from '../../contract/decimal.ts'
import { Failure } from '../../errors.ts'
import { type BatchRow, toBatchRows } from '../../operations/batch/plan/rows.ts'
import type { Account } from '../../profiles/account.ts'
import type { FaceValue } from '../../ui/screens/batch/batches.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import type { OpenedBatch } from './open-batch.ts'

export const findFaceValues = async (
  context: Context,
  account: Account,
  rows: readonly BatchRow[],
): Promise<FaceValue[]> => {
  const currencies = await readCurrencies(context, account)
  const byCurrency = Map.groupBy(rows, ({ sku }) => currencies.get(sku))
  return [...byCurrency].map(([currency, theirs]) => ({ amount: addUp(theirs), currency }))
}

/** The face value of a batch in the journal. */
export const findBatchFaceValues = async (
  context: Context,
  account: Account,
  { batches, batch }: OpenedBatch,
): Promise<FaceValue[]> => findFaceValues(context, account, toBatchRows(await batches.listRows(batch.number)))

/** Undefined if not all products have the currency of the wallet. */
export const findFaceValueIn = (wallet: string, faceValues: readonly FaceValue[]): Decimal | undefined => {
  const [only, ...others] = faceValues
  return others.length === 0 && only?.currency === wallet ? only.amount : undefined
}

/** Rows with the same quote share one multiplication, because a batch has many rows and few prices. */
const addUp = (rows: readonly BatchRow[]): Decimal => {
  const quantities = new Map<Decimal, number>()
  for (const { quote, quantity } of rows) quantities.set(quote, (quantities.get(quote) ?? 0) + quantity)
  let total = zero
  for (const [quote, quantity] of quantities) total = total.plus(quote.times(decimal(String(quantity))))
  return total
}

const readCurrencies = async (context: Context, account: Account): Promise<ReadonlyMap<string, string>> => {
  if (account.kind === 'sandbox') {
    const { builtInCatalogue, pricedProduct } = await import('../../service/catalogue.ts')
    const { products } = builtInCatalogue()
    return new Map(products.values().map((product) => [product.sku, pricedProduct(product).price.currency]))
  }
  if (account.products === undefined) return new Map()
  const { readProductFile } = await import('../shared/products/product-list.ts')
  try {
    const products = await readProductFile(context, account.products)
    return new Map(products.map(({ sku, price }) => [sku, price.currency]))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    context.stderr.warn(`${sanitize(error.message)}; the currencies of its products are not known`)
    return new Map()
  }
}
