// The steps of `orderctl batch export`.
import type { Context } from '../../context.ts'
import type { ExportFlags } from './flags.ts'

export const exportBatch = async (
  _context: Context,
  _named: { batch: string; file: string },
  _flags: ExportFlags,
): Promise<number> => 0
