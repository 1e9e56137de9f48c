// The steps of `orderctl batch run`.
import type { Context } from '../../context.ts'
import type { RunFlags } from './flags.ts'

export const runBatch = async (
  _context: Context,
  _input: string | undefined,
  _flags: RunFlags,
): Promise<number> => 0
