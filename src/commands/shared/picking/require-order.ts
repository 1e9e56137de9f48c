// A command without its order: an error, or a list of recent orders on a terminal.
import type { Context } from '../../../context.ts'
import { Failure } from '../../../errors.ts'
import { mayAsk } from '../options.ts'
import type { CommandSession } from '../session.ts'

type Options = { readonly json: boolean; readonly quiet: boolean; readonly noInput: boolean }

/** Throws if the command line names no order and the user cannot be asked. Call it before anything is opened. */
export const requireOrder = (
  context: Context,
  command: string,
  named: readonly string[],
  options: Options,
): void => {
  if (named.length > 0 || mayAsk(context, options)) return
  throw new Failure('usage', "missing required argument 'order'", { fix: `orderctl ${command} --help` })
}

/** The named orders, or the one that the user picks. */
export const readOrderNames = async (
  context: Context,
  session: CommandSession,
  command: string,
  named: readonly string[],
): Promise<readonly string[]> =>
  named.length > 0 ? named : [await (await import('./pick-order.ts')).pickOrder(context, session, command)]
