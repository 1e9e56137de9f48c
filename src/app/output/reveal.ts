// The only functions that show codes. They first record who sees them. Also warns of orders whose codes or payment are not as
// they should be.

import type { Context } from '../../context.ts'
import type { Order } from '../../contract/schemas.ts'
import { Failure } from '../../errors.ts'
import { getErrorReason } from '../../files.ts'
import { cleanIdentity } from '../../journal/accounts.ts'
import { type Reveal, recordReveals } from '../../journal/orders/seen-cards.ts'
import { findDuplicates, recordCardsOf } from '../../operations/cards/seen-cards.ts'
import { hasCodes } from '../../operations/evidence.ts'
import type { ReadOrder } from '../../operations/read.ts'
import { nameDatabase } from '../../postgres/address.ts'
import { describeDuplicates } from '../../ui/cards/card-fields.ts'
import { describeRefuted, refutedAdvice } from '../../ui/screens/state.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { Journals } from '../journal/open-journal.ts'
import { parseJournalAddress } from '../journal/place.ts'
import type { CommandSession } from '../session.ts'

/** The codes that are shown: those of these SKUs in this order. */
export type ShownCodes = {
  readonly orderId: string
  readonly skus: readonly string[]
}

export const codesOf = ({ uid, redeem }: Pick<Order, 'uid' | 'redeem'>): ShownCodes => ({
  orderId: uid,
  skus: [...(redeem ?? new Map()).keys()],
})

/**
 * Records that codes leave orderctl, and then shows them. Throws if nobody could know about it later. The journal never
 * gets the codes.
 */
export const revealOrders = async <Result>(
  { context, journals, owner, clock, seenCards: { duplicates, unrecorded } }: CommandSession,
  { orders, how }: { readonly orders: readonly ShownCodes[] } & Pick<Reveal, 'how'>,
  show: () => Result,
): Promise<Awaited<Result>> => {
  const shown = orders.filter(({ skus }) => skus.length > 0)
  if (shown.length > 0) {
    const { profile, origin } = owner
    const common = { profile, origin, at: clock.now(), who: context.user(), how }
    const reveals = shown.map(({ orderId, skus }) => ({ ...common, orderId, skus }))
    try {
      const journal = await journals.openOrCreate()
      for (const { orderId } of shown) {
        const order = unrecorded.get(orderId)
        if (order === undefined) continue
        const found = findDuplicates(orderId, await recordCardsOf({ journal, owner }, order))
        if (found.length > 0) duplicates.set(orderId, found)
      }
      await recordReveals(journal, reveals)
    } catch (error) {
      await keepReveals(context, journals, reveals, error)
      if (shown.some(({ orderId }) => unrecorded.has(orderId)))
        context.stderr.warn('it was not checked whether another order has the same codes')
    }
  }
  return await show()
}

/**
 * Saves reveals on this machine if the shared journal cannot record them, for the reason `error`. Throws if they cannot be
 * saved either: then no code may be shown.
 */
const keepReveals = async (
  context: Context,
  { place, openMachine }: Journals,
  reveals: readonly Reveal[],
  error: unknown,
): Promise<void> => {
  if (!(error instanceof Failure)) throw error
  const machine = place.kind === 'file' ? undefined : await openMachine()
  if (place.kind === 'file' || machine === undefined) throw createRefusal(error, reveals)
  const { keepEvent } = await import('../../journal/machine/outbox.ts')
  const address = parseJournalAddress(context, place.text)
  const { osUser, host } = cleanIdentity({ osUser: context.user(), host: context.host() })
  try {
    await keepEvent(machine, {
      database: nameDatabase(address),
      address: address.text,
      at: context.clock.now(),
      by: { role: address.user, user: osUser, host },
      reveals,
    })
  } catch (failed) {
    throw createRefusal(error, reveals, `; ${getErrorReason(failed)}`)
  }
  context.stderr.warn(
    'who sees these codes was saved on this machine, and the next orderctl command will write it to the ' +
      `journal: ${sanitize(error.message)}`,
  )
}

const createRefusal = (error: Failure, [first]: readonly Reveal[], more = ''): Failure => {
  const { fix, advice, retryable } = error.details
  const problem = `no code was shown, because it cannot be recorded who sees it: ${error.message}${more}`
  return new Failure('local-state', problem, {
    fix,
    advice,
    retryable,
    orderId: first?.orderId,
    cause: error,
  })
}

/** Warns of orders that are paid although a person settled them as not spent. */
export const warnOfRefuted = ({ stderr }: Pick<Context, 'stderr'>, orderIds: readonly string[]): void => {
  const problem = describeRefuted(orderIds)
  if (problem !== undefined) stderr.warn(`${problem}. ${refutedAdvice}`)
}

/**
 * Warns of what is wrong with an order and its cards. Returns whether it has duplicates. Codes prove no payment before a
 * confirm, or while the service shows the order unconfirmed.
 */
export const warnOfOrder = (
  session: CommandSession,
  { data, view }: Pick<ReadOrder, 'data' | 'view'>,
): boolean => {
  if (view.decision === 'refuted') warnOfRefuted(session.context, [data.uid])
  if (view.money !== 'spent' && hasCodes(data))
    session.context.stderr.warn(
      `the order ${sanitize(data.uid)} has codes, but is not known to be confirmed. The codes may not work yet`,
    )
  return warnOfDuplicates(session, data)
}

/** Warns of the duplicates among these cards of the order. Returns whether there are any. */
const warnOfDuplicates = (
  { context: { stderr }, seenCards: { duplicates } }: CommandSession,
  { uid, products }: Pick<Order, 'uid' | 'products'>,
): boolean => {
  const shown = (duplicates.get(uid) ?? []).filter(({ card }) => products.has(card.sku))
  for (const text of describeDuplicates(uid, shown)) stderr.warn(text)
  return shown.length > 0
}
