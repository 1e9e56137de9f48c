// Reads a file that a flag or an argument names, or standard input for `-`.
import type { Context } from '../context.ts'
import { Failure, interruption } from '../errors.ts'
import { getErrorReason } from '../files.ts'

export const readInput = async (context: Context, file: string, what: string): Promise<Uint8Array> => {
  if (file === '-') {
    if (context.stdin.isTerminal) {
      throw new Failure('usage', `cannot read ${what} from standard input: it is a terminal`, {
        advice: `Pipe ${what} to the command, or name a file.`,
      })
    }
    return await context.stdin.read().catch((error) => {
      if (!context.interrupted.aborted) throw error
      throw interruption(context.interrupted, 'interrupted; nothing was sent')
    })
  }
  try {
    return await context.readFile(file)
  } catch (error) {
    throw new Failure('usage', `cannot read ${what} from ${file}: ${getErrorReason(error)}`, {
      field: file,
      cause: error,
    })
  }
}
