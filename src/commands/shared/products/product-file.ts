// Reads a product file, which lists the products that an account sells. It is never cached, so users can edit it.
import { statSync } from 'node:fs'
import type { Context } from '../../../context.ts'
import { JsonError, readJson } from '../../../contract/json.ts'
import { formatViolation } from '../../../contract/violations.ts'
import { Failure } from '../../../errors.ts'
import type { PricedProduct } from '../../../service/catalogue.ts'
import { readInput } from '../read-input.ts'

export const productSkeleton = {
  products: [
    { sku: 'GAME-US', name: 'Games 25 USD', productType: 'fixed', currency: 'USD', quote: 25 },
    { sku: 'COFFEE-US', name: 'Coffee', productType: 'range', currency: 'USD', min: 5, max: 100 },
  ],
}

export const readProductFile = async (context: Context, file: string): Promise<readonly PricedProduct[]> => {
  const createFailure = (message: string, details = {}) =>
    new Failure('usage', message, { field: '--products', fix: 'orderctl help order-file', ...details })
  // Reading a pipe would block, and a pipe cannot be read a second time.
  if (!mayBeFile(file)) throw createFailure(`${file} is not a file`)
  const text = await readInput(context, file, 'the products')
  let document: unknown
  try {
    document = readJson(text)
  } catch (error) {
    // The user may have named a wrong file, which may hold a key. So the message quotes nothing from it.
    throw error instanceof JsonError ? createFailure(`the product file ${file} ${error.withoutKeys}`) : error
  }
  const { checkPriceList } = await import('../../../service/catalogue-file.ts')
  const checked = checkPriceList(document)
  if ('products' in checked) return checked.products
  throw createFailure(`the product file ${file} is not valid`, {
    violations: checked.violations.map(({ given, ...each }) =>
      formatViolation({ ...each, given: given === undefined ? undefined : 'wrong' }),
    ),
  })
}

/** True if it cannot be known: reading the file will say why. */
const mayBeFile = (file: string): boolean => {
  try {
    return statSync(file).isFile()
  } catch {
    return true
  }
}
