// Prints an order with its cards, and says what to type next.
import type { Context } from '../../../context.ts'
import { findCards } from '../../../contract/redeem-cards.ts'
import type { Order } from '../../../contract/schemas.ts'
import { isFinal, isPastPending } from '../../../contract/states.ts'
import { exitCodes } from '../../../exit-codes.ts'
import { renderOrderWithCards } from '../../../ui/screens/order.ts'
import type { OutputOptions } from '../options.ts'
import type { CommandSession } from '../session.ts'
import { ensureDelivered, outputFor, type Result } from './output.ts'
import { codesOf, warnOfDuplicates } from './reveal.ts'
import { viewOf } from './view-of.ts'

/** `wasShown`: see renderOrderWithCards. */
export const createOrderResult = (session: CommandSession, order: Order, wasShown = false): Result => ({
  data: () => order,
  ids: [order.uid],
  codes: codesOf(order),
  screen: (isRevealed) =>
    renderOrderWithCards(
      order,
      isRevealed ? 'revealed' : 'masked',
      viewOf(session.context, session.serviceNow()),
      wasShown,
    ),
})

/** Returns the exit code of the order's state. */
export const showOrder = async (
  session: CommandSession,
  order: Order,
  options: OutputOptions,
  result = createOrderResult(session, order),
): Promise<number> => {
  const { context } = session
  await outputFor(context, options, { session, isPlaced: true }).print(result)
  await ensureDelivered(context, `the order ${order.uid} is ${order.state}`, order.uid)
  warnOfDuplicates(session, order)
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
  if (stderr.isTerminal && isPastPending(state) && !isFinal(state)) {
    stderr.write(`Wait for it: ${suggest`watch ${uid}`}\n`)
  }
  if (exitCodeOf(state) !== 0) stderr.write(`See what happened: ${suggest`get ${uid} --explain`}\n`)
  if (!isRevealed && hasCards) {
    stderr.write(`Codes are hidden. Show them: ${suggest`redeem ${uid} --reveal`}\n`)
  }
}

export const exitCodeOf = (state: string): number => {
  if (state === 'failed' || state === 'rejected') return exitCodes.failed.code
  return state === 'partial' ? exitCodes.partial.code : exitCodes.ok.code
}
