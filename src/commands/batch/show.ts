// The steps of `orderctl batch show`.
import type { Context } from '../../context.ts'
import type { ShowFlags } from './flags.ts'

export const showBatch = async (_context: Context, _named: string, _flags: ShowFlags): Promise<number> => 0
