// What a copy of a journal did.

export type CopyCounts = {
  /** New in the target. */
  readonly orders: number
  readonly calls: number
  readonly reveals: number
  readonly batches: number
  /** Orders and batches of the target that changed. */
  readonly updated: number
}

export type RenamedBatch = { readonly from: string; readonly to: string }

export type CopiedLimit = {
  readonly kind: string
  readonly currency: string
  /** An exact decimal. */
  readonly amount: string
  /** The declared name of the account. */
  readonly account: string | null
}

export type LimitCopies = {
  readonly copied: readonly CopiedLimit[]
  /** Other amounts that the target has, and keeps. */
  readonly kept: readonly CopiedLimit[]
  /** Not copied, because the role may not change limits. */
  readonly refused: readonly CopiedLimit[]
}

export type CopyResult = CopyCounts & {
  /** References that two different orders have, of which one was copied. */
  readonly conflicts: readonly string[]
  /** Batches whose name another batch of the target has. */
  readonly renamed: readonly RenamedBatch[]
  readonly limits: LimitCopies
}
