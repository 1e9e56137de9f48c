// A batch in the journal: its rows, and the cards that they want.
import type { Actor } from '../actors.ts'
import type { Owner } from '../orders/entry.ts'

/** Why a batch stopped before it was complete. */
export type StopReason = 'cap' | 'funds' | 'budget' | 'approval' | 'charge'

/** A column of the input: a field of the row, or one of the other columns. */
export type HeaderColumn = {
  readonly name: string
  readonly field?: 'sku' | 'quote' | 'quantity' | 'productType'
}

/** How a CSV file was written. */
export type CsvFormat = {
  readonly separator: string
  readonly lineEnd: string
  /** A byte order mark. */
  readonly hasMark: boolean
}

export const defaultHeader = (columns: readonly string[]): readonly HeaderColumn[] => [
  ...(['sku', 'quote', 'quantity'] as const).map((field) => ({ name: field, field })),
  ...columns.map((name) => ({ name })),
]

export type Batch = Pick<Owner, 'profile' | 'origin'> & {
  readonly number: number
  /** The number of its account. */
  readonly account: number
  /** The fingerprint of its rows, its account and its wallet. */
  readonly id: string
  /** The fingerprint of what it buys, without the other columns and the order of the rows. */
  readonly demand: string
  readonly name: string
  readonly wallet: string
  /** The names of the other columns of the input. */
  readonly columns: readonly string[]
  /** All columns of the input, in its order. */
  readonly header: readonly HeaderColumn[]
  /** Undefined if the input was not CSV. */
  readonly format?: CsvFormat
  readonly lastSlot: number
  /** The cap: the total that the user consented to. */
  readonly maxTotal?: string
  readonly stopped?: StopReason
  readonly plannedAt: number
  readonly startedAt?: number
  readonly changedAt: number
  readonly cancelledAt?: number
  readonly cancelledBy?: Actor
  /** Who planned it. */
  readonly by?: Actor
}

export type StoredRow = {
  readonly row: number
  /** The line of the input file. */
  readonly line: number
  readonly sku: string
  readonly productType: string
  readonly quote: string
  readonly quantity: number
  readonly cells: readonly string[]
  /** The fields of the input as they were written, in its order, if that differs from the values above. */
  readonly given?: readonly string[]
}

/** 'duplicate': another card has the same code. */
export type CardState = 'wanted' | 'delivered' | 'duplicate' | 'failed' | 'cancelled'

/** Ordered, and not delivered to its row. */
const failedStates: ReadonlySet<CardState | undefined> = new Set<CardState>(['failed', 'duplicate'])

export const isFailedCard = ({ state }: { readonly state: string }): boolean =>
  failedStates.has(state as CardState)

export type StoredCard = {
  /** Its number in the order of the input, from 0. */
  readonly card: number
  readonly row: number
  /** The planned order that buys it. */
  readonly slot: number
  readonly state: CardState
  readonly error?: string
  readonly hash?: string
}

/** A product that a slot buys. */
export type SlotLine = Pick<StoredRow, 'sku' | 'productType' | 'quote' | 'quantity'>

/** The slot that an order of a batch buys, and its products. */
export type Claim = {
  readonly batch: number
  readonly slot: number
  /** The products of the order (see formatLines). The slot must still want exactly these. */
  readonly lines: string
  /** How long the order belongs to its run from the intent to create or confirm it. Outlasts the call. */
  readonly holdMs: { readonly create: number; readonly confirm: number }
}

/** Equal for equal products. */
export const formatLines = (lines: readonly SlotLine[]): string =>
  JSON.stringify(
    lines.map(({ sku, productType, quote, quantity }) => [sku, productType, quote, quantity]).toSorted(),
  )

export type CardCounts = Readonly<Record<CardState, number>>
