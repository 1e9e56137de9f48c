// The steps of `orderctl get`: options → account → each order → shown or explained.
import type { Context } from '../../context.ts'
import type { Order } from '../../contract/schemas.ts'
import { pendingState } from '../../contract/states.ts'
import { toMilliseconds } from '../../contract/timestamp.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { assumeExpiry, findExpiry, hasExpired } from '../../operations/expiry.ts'
import { readOrder } from '../../operations/read.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import { renderOrderWithCards } from '../../ui/screens/order.ts'
import { outputOf } from '../shared/options.ts'
import { findOrderIds, requireOrder } from '../shared/order-ids.ts'
import { outputFor, type Result } from '../shared/output/output.ts'
import { codesOf, warnOfDuplicates } from '../shared/output/reveal.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { type CommandSession, openSession } from '../shared/session.ts'
import type { GetOptions } from './spec.ts'

/** Returns the exit code. */
export const get = async (context: Context, options: GetOptions): Promise<number> => {
  requireOrder(context, 'get', options.orders.length > 0, options)
  // Fails before any call if there is none.
  const clipboards = options.copy ? (await import('../shared/clipboard.ts')).requireClipboards(context) : []
  const { stdout, stderr } = context
  const output = outputOf(options)
  const isScreen = output.format === 'screen'
  await using session = await openSession(context, options)
  const { print } = outputFor(context, output, { session })
  const ids = await findOrderIds(session, 'get', options.orders)
  const isOne = ids.length === 1
  if (!isOne && (options.card !== undefined || options.copy)) {
    const flag = options.card === undefined ? '--copy' : '--card'
    throw new Failure('usage', `${flag} needs one order, but ${ids.length} are named`, { field: flag })
  }
  let exit: number = exitCodes.ok.code
  let isFirst = true
  for (const id of ids) {
    try {
      const { data: order } = await readOrder(session, id)
      const result = options.explain
        ? await (await import('./explain.ts')).explainOrder(session, order, options.card, clipboards)
        : createResult(session, order)
      if (!isFirst && isScreen) stdout.write('\n')
      // One JSON document for one order; one per line for several.
      await print(result, !isOne)
      warnOfDuplicates(session, order)
      if (isScreen && isOne) await printNextStep(session, order)
      isFirst = false
    } catch (error) {
      // If one order is not found, the others are still shown.
      if (isOne || !(error instanceof Failure) || error.kind !== 'refused') throw error
      stderr.write(renderFailure(error, context, options.json))
      exit = exitCodes.refused.code
    }
  }
  return exit
}

/** The screen shows cards only with --reveal. */
const createResult = (session: CommandSession, order: Order): Result => ({
  data: () => order,
  ids: [order.uid],
  codes: codesOf(order),
  screen: (isRevealed) => {
    const view = viewOf(session.context, session.serviceNow())
    return renderOrderWithCards(order, isRevealed ? 'revealed' : 'none', view)
  },
})

/** For an order that is not confirmed yet, on a terminal. */
const printNextStep = async (
  { context: { stderr, suggest }, journals, owner, serviceNow }: CommandSession,
  order: Order,
): Promise<void> => {
  if (!stderr.isTerminal || order.state !== pendingState) return
  const { uid } = order
  let isUnproven = false
  let expiresAt = assumeExpiry(toMilliseconds(order.createdDate))
  await journals.attempt('the expiry of the order was not read', async (journal) => {
    const entry = await journal.findOrder(owner, uid)
    if (entry === undefined) return
    isUnproven = entry.standing === 'confirming' || entry.standing === 'doubtful'
    expiresAt = findExpiry(entry, order)
  })
  if (isUnproven) stderr.write(`A confirm may have spent. Check it: ${suggest`reconcile ${uid}`}\n`)
  else if (hasExpired(expiresAt, serviceNow())) {
    stderr.write(`It has expired and costs nothing. Order again: ${suggest`create ${{ again: uid }}`}\n`)
  } else stderr.write(`Confirm it: ${suggest`confirm ${uid}`}\n`)
}
