// Finds damaged rows of the journal, for a warning.
import { parseProducts } from '../contract/ordered-products.ts'
import type { Call, Entry } from './entry.ts'
import { readRequestLines } from './products.ts'
import type { Damage } from './row.ts'
import { isAmount } from './tables/sql.ts'

export type DamagedRow = {
  readonly kind: 'order' | 'call' | 'reveal'
  /** The number of the order in the journal. */
  readonly number?: number | undefined
  readonly orderId?: string | undefined
  /** The columns that cannot be read. */
  readonly columns: readonly string[]
}

type Value = Partial<Entry & Call & Damage & { readonly orderNumber: number; readonly skus: unknown }>

/** Returns undefined if the value is sound, or is not a row of the journal. */
export const findDamagedRow = (value: unknown): DamagedRow | undefined => {
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
    ...more
  }: Value = value
  if (operation !== undefined) return createDamagedRow('call', { number: orderNumber }, damage)
  if (skus !== undefined) return createDamagedRow('reveal', { orderId }, damage)
  if (standing === undefined) return undefined
  const columns = [
    ...damage,
    ...(request === undefined || readRequestLines(request) !== undefined ? [] : ['request']),
    ...amounts.filter((name) => more[name] !== undefined && !isAmount(more[name])),
    ...(more.products === undefined || parseProducts(more.products) !== undefined ? [] : ['products']),
  ]
  return createDamagedRow('order', { number, orderId }, columns)
}

const createDamagedRow = (
  kind: DamagedRow['kind'],
  ids: Pick<DamagedRow, 'number' | 'orderId'>,
  columns: readonly string[],
): DamagedRow | undefined => (columns.length === 0 ? undefined : { kind, ...ids, columns })

const amounts = ['total', 'charged', 'counted'] as const
