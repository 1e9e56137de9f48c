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

export type CopyResult = CopyCounts & {
  /** References that two different orders have, of which one was copied. */
  readonly conflicts: readonly string[]
  /** Batches whose name another batch of the target has. */
  readonly renamed: readonly RenamedBatch[]
}
