// The steps of `orderctl batch plan`.
import type { Context } from '../../context.ts'
import type { PlanFlags } from './flags.ts'

export const planBatch = async (
  _context: Context,
  _file: string | undefined,
  _flags: PlanFlags,
): Promise<number> => 0
