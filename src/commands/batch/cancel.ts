// The steps of `orderctl batch cancel`.
import type { Context } from '../../context.ts'
import type { CancelFlags } from './flags.ts'

export const cancelBatch = async (_context: Context, _named: string, _flags: CancelFlags): Promise<number> =>
  0
