// Places the order of a create, or continues the order that an earlier run placed. If it is refused, the wizard lets
// the user change it.
import type { Context } from '../../context.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { interruption } from '../../errors.ts'
import type { Entry } from '../../journal/entry.ts'
import { refuseChanges } from '../../operations/compare.ts'
import { readForConfirm } from '../../operations/confirm/read-for-confirm.ts'
import { guard, type Offer, offerOf } from '../../operations/offer.ts'
import { type Placed, place } from '../../operations/place.ts'
import { withFacts } from '../../operations/record.ts'
import { createTwinFailure, findUnprovenTwin } from '../../operations/resume.ts'
import type { Session } from '../../operations/session.ts'
import { renderCreatedLine } from '../../ui/screens/order-line.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { writeNote } from '../shared/notes.ts'
import { mayAsk } from '../shared/options.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { acceptConfirmed, withInterruptNotice } from '../shared/send-order.ts'
import type { SendingSession } from '../shared/session.ts'
import type { CompleteOrder } from './draft.ts'
import type { Handover } from './equivalent-command.ts'
import { addProductHints } from './product-hints.ts'
import type { CreateOptions } from './spec.ts'
import type { PlacedOrder, Submission } from './submission.ts'

export const placeOrder = async (
  context: Context,
  session: SendingSession,
  { order: firstOrder, account, options, list, wizard }: Submission,
): Promise<PlacedOrder | Handover> => {
  const send = async (order: CompleteOrder): Promise<Placed> => {
    if (account.kind === 'sandbox' && order.request.webhookUrl !== undefined) {
      writeNote(context, 'The sandbox sends no webhooks; orderctl serve-mock does.\n')
    }
    await withFacts('no create was sent', async () => {
      if (!options.allowDuplicate && !order.hasOwnReference) {
        await refuseRepeat(context, session, order.request, options)
      }
      await warnOfSimilar(context, session, order.request.reference)
    })
    return withInterruptNotice(context, session, 'create', (progress) =>
      place(session, order.request, { ...progress, allowDuplicate: options.allowDuplicate }),
    )
  }
  let order = firstOrder
  for (;;) {
    try {
      const placed = await send(order)
      warnOfSameId(context, placed)
      // If a confirm follows, stdout gets only the final order.
      if (options.confirm || options.watch) {
        const { stderr } = context
        writeNote(context, renderCreatedLine(placed.created, placed.reference, session.serviceNow(), stderr))
      }
      return newOrder(context, session, placed)
    } catch (error) {
      const failure = await addProductHints(session, account, { request: order.request, list }, error)
      if (wizard === undefined) throw failure
      const next = await wizard.askAgain(failure)
      if ('words' in next) return next
      order = next
    }
  }
}

/** The confirm of an earlier order may have spent for the same products. Asks on a terminal, throws in a script. */
const refuseRepeat = async (
  context: Context,
  session: Session,
  request: OrderRequest,
  options: CreateOptions,
): Promise<void> => {
  const twin = await findUnprovenTwin(session, request)
  if (twin === undefined) return
  if (!mayAsk(context, options)) throw createTwinFailure(twin)
  const { orderId = '' } = twin
  context.stderr.write(
    `The order ${sanitize(orderId)} has the same products, and its confirm may have spent.\n`,
  )
  if (await context.confirm('Order the same products again?')) return
  throw interruption(context.interrupted, 'nothing was sent', {
    fix: (suggest) => suggest`reconcile ${orderId}`,
  })
}

const newOrder = (context: Context, session: Session, placed: Placed): PlacedOrder => {
  const { created, reference, expiresAt, sameId } = placed
  return {
    orderId: created.id,
    isConfirmed: false,
    created: {
      order: created,
      readExpiry: () => ({ expiresAt, now: session.serviceNow() }),
      // The response to create does not repeat the reference.
      result: { data: () => ({ ...created, reference }), ids: [created.id] },
      screen: async (output) => {
        const { renderCreated } = await import('../../ui/screens/order.ts')
        return renderCreated(created, reference, viewOf(context, session.serviceNow(), output))
      },
    },
    readOffer: async (maxTotal) => {
      const offer = offerOf(created, { reference, expiresAt })
      // The id was used before, so the response may be an old one. The order itself must be the new one.
      if (sameId.length > 0)
        refuseChanges(created.id, (await readForConfirm(session, created.id)).differences)
      guard(offer, { maxTotal }, session.serviceNow())
      return offer
    },
  }
}

const warnOfSimilar = async (
  { stderr }: Context,
  { journal, owner }: Session,
  reference: string,
): Promise<void> => {
  for (const similar of await journal.findSimilarReferences(owner.account, reference)) {
    stderr.write(
      `warning: the reference ${sanitize(reference)} looks like '${sanitize(similar)}', which is already used\n`,
    )
  }
}

/** A service that was reset reuses its ids, and a proxy may repeat an old response. */
const warnOfSameId = ({ stderr }: Context, { created, sameId }: Placed): void => {
  for (const { reference = '', state } of sameId) {
    stderr.write(
      `warning: the service reused the order id ${sanitize(created.id)}. ` +
        `In this journal, it belongs to the reference ${sanitize(reference)} (${sanitize(state)}).\n`,
    )
  }
}

/** For --idempotent: the order that an earlier run placed under the same reference. */
export const continueOrder = (
  context: Context,
  session: Session,
  { orderId = '', reference = '', state, confirmedAt }: Entry,
): PlacedOrder => {
  writeNote(
    context,
    `The reference ${sanitize(reference)} belongs to the order ${sanitize(orderId)} (${sanitize(state)}). Continuing with it.\n`,
  )
  return {
    orderId,
    isConfirmed: confirmedAt !== undefined,
    created: undefined,
    readOffer: async (maxTotal) => {
      let found: Offer | undefined
      await acceptConfirmed(context, true, async () => {
        const { offer, differences } = await readForConfirm(session, orderId)
        refuseChanges(orderId, differences)
        guard(offer, { maxTotal }, session.serviceNow())
        found = offer
      })
      return found
    },
  }
}
