// A batch in the journal: its rows, and the cards that they want.
import type { Actor } from '../actors.ts'
import type { batchCards, batches, batchRows, HeaderColumn } from '../tables/batches.ts'
import type { RowOf } from '../tables/table.ts'

/** Why a batch stopped before it was complete. */
export type StopReason = NonNullable<RowOf<typeof batches>['stopped']>

export const defaultHeader = (columns: readonly string[]): readonly HeaderColumn[] => [
  ...(['sku', 'quote', 'quantity'] as const).map((field) => ({ name: field, field })),
  ...columns.map((name) => ({ name })),
]

/** tables/batches.ts describes each field. */
export type Batch = Omit<RowOf<typeof batches>, 'cancelledBy'> & {
  readonly cancelledBy?: Actor | undefined
  /** Who planned it. */
  readonly by?: Actor | undefined
}

export type StoredRow = Omit<RowOf<typeof batchRows>, 'batch'>
export type StoredCard = Omit<RowOf<typeof batchCards>, 'batch'>

/** 'duplicate': a different card has the same code. */
export type CardState = StoredCard['state']

/** Ordered but not delivered to its row. */
const failedStates: ReadonlySet<CardState | undefined> = new Set<CardState>(['failed', 'duplicate'])

export const isFailedCard = ({ state }: { readonly state: string }): boolean =>
  failedStates.has(state as CardState)

export type SlotLine = Pick<StoredRow, 'sku' | 'productType' | 'quote' | 'quantity'>

/** The slot that an order of a batch buys, and its products. */
export type Claim = {
  readonly batch: number
  readonly slot: number
  /** The products of the order (see formatLines). The slot must still want exactly these. */
  readonly lines: string
  /** How long the order belongs to its run after the intent to create or confirm it. Outlasts the call. */
  readonly holdMs: { readonly create: number; readonly confirm: number }
}

/** Equal for equal products. */
export const formatLines = (lines: readonly SlotLine[]): string =>
  JSON.stringify(
    lines.map(({ sku, productType, quote, quantity }) => [sku, productType, quote, quantity]).toSorted(),
  )

export type CardCounts = Readonly<Record<CardState, number>>
