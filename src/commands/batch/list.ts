// The steps of `orderctl batch list`.
import type { Context } from '../../context.ts'
import type { ListFlags } from './flags.ts'

export const listBatches = async (_context: Context, _flags: ListFlags): Promise<number> => 0
