// A result that cost money and did not reach its reader: what it was is said where it can still be said.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { reasonOf } from '../../files.ts'
import { shellWord } from '../../text/shell-word.ts'

export const arrived = async (
  { stdout }: Pick<Context, 'stdout'>,
  facts: string,
  orderId: string,
): Promise<void> => {
  try {
    await stdout.flushed()
  } catch (error) {
    throw new Failure(
      'output-lost',
      `${facts}; the result could not be written in full: ${reasonOf(error)}`,
      {
        orderId,
        fix: `orderctl get ${shellWord(orderId)}`,
        cause: error,
      },
    )
  }
}
