// Which rows of the journal are damaged, for a warning.
import type { Call, Entry } from './entry.ts'
import type { Reveal } from './reveals.ts'
import type { Damaged } from './row.ts'

export type DamagedRow = {
  readonly kind: 'order' | 'call' | 'reveal'
  /** The number of the order in the journal. */
  readonly number?: number | undefined
  readonly orderId?: string | undefined
  /** What cannot be read. */
  readonly columns: readonly string[]
}

type Value = Partial<Entry & Call & Reveal & Damaged & { readonly orderNumber: number }>

/** Undefined if the value is sound, or is no row of the journal. */
export const damagedRowOf = (value: unknown): DamagedRow | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const {
    damage = [],
    operation,
    standing,
    skus,
    number,
    orderNumber,
    orderId,
    request,
    total,
  }: Value = value
  if (operation !== undefined) return rowOf('call', { number: orderNumber }, damage)
  if (skus !== undefined) return rowOf('reveal', { orderId }, damage)
  if (standing === undefined) return undefined
  const columns = [
    ...damage,
    ...(request === undefined || isRequest(request) ? [] : ['request']),
    ...(total === undefined || isAmount(total) ? [] : ['total']),
  ]
  return rowOf('order', { number, orderId }, columns)
}

const rowOf = (
  kind: DamagedRow['kind'],
  named: Pick<DamagedRow, 'number' | 'orderId'>,
  columns: readonly string[],
): DamagedRow | undefined => (columns.length === 0 ? undefined : { kind, ...named, columns })

const isAmount = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text)

// Not by readJson, which would load decimals with every journal. Two numbers that differ after 17 digits are sound.
const isRequest = (text: string): boolean => {
  try {
    const { productList } = JSON.parse(text)
    return Array.isArray(productList) && productList.every(isProductLine)
  } catch {
    return false
  }
}

const isProductLine = (line: unknown): boolean => {
  const { sku, productType, quote, quantity } = (line ?? {}) as Record<string, unknown>
  return (
    typeof sku === 'string' &&
    typeof productType === 'string' &&
    typeof quote === 'number' &&
    typeof quantity === 'number'
  )
}
