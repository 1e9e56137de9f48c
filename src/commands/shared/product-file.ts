// The products that a profile's account sells: a file of the user's own, read each time, so that it may be edited.
import { statSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { JsonError, readJson } from '../../contract/json.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import type { PricedProduct } from '../../service/catalogue.ts'
import { readInput } from './read-input.ts'

export const productSkeleton = {
  products: [
    { sku: 'GAME-US', name: 'Games 25 USD', productType: 'fixed', currency: 'USD', quote: 25 },
    { sku: 'COFFEE-US', name: 'Coffee', productType: 'range', currency: 'USD', min: 5, max: 100 },
  ],
}

export const readProductFile = async (context: Context, file: string): Promise<readonly PricedProduct[]> => {
  const wrong = (message: string, details = {}) =>
    new Failure('usage', message, { field: '--products', fix: 'orderctl help order-file', ...details })
  // Opened, a pipe would wait for somebody to write; and it could not be read a second time.
  if (!mayBeFile(file)) throw wrong(`${file} is not a file`)
  const text = await readInput(context, file, 'the products')
  let document: unknown
  try {
    document = readJson(text)
  } catch (error) {
    // It may be another file than was meant, and hold a key: nothing of it is shown.
    throw error instanceof JsonError ? wrong(`the product file ${file} ${error.withoutKeys}`) : error
  }
  const { checkPriceList } = await import('../../service/catalogue-file.ts')
  const checked = checkPriceList(document)
  if ('products' in checked) return checked.products
  throw wrong(`the product file ${file} is not valid`, {
    violations: checked.violations.map(({ given, ...each }) =>
      formatViolation({ ...each, ...(given === undefined ? {} : { given: 'wrong' }) }),
    ),
  })
}

/** What cannot be looked at cannot be read: that is said then. */
const mayBeFile = (file: string): boolean => {
  try {
    return statSync(file).isFile()
  } catch {
    return true
  }
}
