// Prints an order with its cards, and says what to type next.
import type { Context } from '../../../context.ts'
import { findCards } from '../../../contract/redeem-cards.ts'
import type { Order } from '../../../contract/schemas.ts'
import { exitCodes } from '../../../exit-codes.ts'
import type { OutputOptions } from '../options.ts'
import type { CommandSession } from '../session.ts'
import { ensureDelivered, outputFor, type Result } from './output.ts'
import { codesOf, warnOfDuplicates } from './reveal.ts'
import { viewOf } from './view-of.ts'

/** `hidden`: how cards are shown without --reveal. */
export const orderResult = (
  context: Context,
  session: CommandSession,
  order: Order,
  hidden: 'none' | 'masked' = 'masked',
): Result => ({
  data: () => order,
  ids: [order.uid],
  codes: codesOf(order),
  screen: async (isRevealed) => {
    const { renderOrderWithCards } = await import('../../../ui/screens/order.ts')
    return renderOrderWithCards(
      order,
      isRevealed ? 'revealed' : hidden,
      viewOf(context, session.serviceNow()),
    )
  },
})

/** Returns the exit code of the order's state. */
export const showOrder = async (
  context: Context,
  session: CommandSession,
  order: Order,
  options: OutputOptions,
  data: object = order,
): Promise<number> => {
  const result = { ...orderResult(context, session, order), data: () => data }
  await outputFor(context, options, { session, isPlaced: true }).print(result)
  await ensureDelivered(context, `the order ${order.uid} is ${order.state}`, order.uid)
  warnOfDuplicates(context, session.seenCards, order)
  printNextStep(context, toEnded(order), options)
  return exitCodeOf(order.state)
}

/** What is known of an order at the end of a command. */
export type Ended = Pick<Order, 'uid' | 'state'> & { readonly hasCards: boolean }

export const toEnded = ({ uid, state, redeem }: Order): Ended => ({
  uid,
  state,
  hasCards: findCards(redeem).length > 0,
})

export const printNextStep = (
  { stderr, suggest }: Context,
  { uid, state, hasCards }: Ended,
  { format, isRevealed }: OutputOptions,
): void => {
  if (format !== 'screen') return
  if (exitCodeOf(state) !== 0) stderr.write(`See what happened: ${suggest`get ${uid} --explain`}\n`)
  if (!isRevealed && hasCards) {
    stderr.write(`Codes are hidden. Show them: ${suggest`redeem ${uid} --reveal`}\n`)
  }
}

export const exitCodeOf = (state: string): number => {
  if (state === 'failed' || state === 'rejected') return exitCodes.failed.code
  return state === 'partial' ? exitCodes.partial.code : exitCodes.ok.code
}
