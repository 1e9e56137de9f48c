// Whether one order can hold the products, by the limits of the service.
import { limits } from '../../../contract/limits.ts'

type Counted = { readonly quantity: string }

const countUnits = (products: readonly Counted[]): number =>
  products.reduce((all, { quantity }) => all + Number(quantity), 0)

/** The largest quantity that the limits of one order allow for another product. */
export const maxQuantity = (others: readonly Counted[]): number =>
  others.length >= limits.skusPerOrder
    ? 0
    : Math.min(limits.quantityPerSku, limits.quantityPerOrder - countUnits(others))

/** Whether the products need a batch. */
export const needsBatch = (products: readonly Counted[]): boolean =>
  products.length > limits.skusPerOrder ||
  countUnits(products) > limits.quantityPerOrder ||
  products.some(({ quantity }) => Number(quantity) > limits.quantityPerSku)
