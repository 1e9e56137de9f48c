// Places the order of a create. If it is refused, the wizard lets the user change it.
import type { Context } from '../../context.ts'
import { refuseChanges } from '../../operations/compare.ts'
import { readForConfirm } from '../../operations/confirm/read-for-confirm.ts'
import type { Spending } from '../../operations/deps.ts'
import { guard, offerOf } from '../../operations/offer.ts'
import { type Placed, place } from '../../operations/place.ts'
import { withFacts } from '../../operations/record.ts'
import { renderCreatedLine } from '../../ui/screens/created-line.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { withInterruptNotice } from '../shared/interrupt-notice.ts'
import { writeNote } from '../shared/notes.ts'
import { viewOf } from '../shared/output/view-of.ts'
import type { Session } from '../shared/session.ts'
import type { CompleteOrder } from './draft.ts'
import type { Handover } from './hand-over.ts'
import { addProductHints } from './product-hints.ts'
import { refuseRepeat } from './refuse-repeat.ts'
import type { PlacedOrder, Submission } from './submission.ts'

export const placeOrder = async (
  context: Context,
  session: Session,
  deps: Spending,
  { order: firstOrder, account, options, list, wizard }: Submission,
): Promise<PlacedOrder | Handover> => {
  const send = async (order: CompleteOrder): Promise<Placed> => {
    if (account.kind === 'sandbox' && order.request.webhookUrl !== undefined) {
      writeNote(context, 'The sandbox sends no webhooks; orderctl serve-mock does.\n')
    }
    await withFacts('no create was sent', async () => {
      if (!options.allowDuplicate && !order.hasOwnReference) {
        await refuseRepeat(context, deps, order.request, options)
      }
      await warnOfSimilar(context, deps, order.request.reference)
    })
    return withInterruptNotice(context, session, 'create', (progress) =>
      place(deps, order.request, { ...progress, allowDuplicate: options.allowDuplicate }),
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
        writeNote(context, renderCreatedLine(placed.created, placed.reference, deps.serviceNow(), stderr))
      }
      return newOrder(context, deps, placed)
    } catch (error) {
      const failure = await addProductHints(deps, account, { request: order.request, list }, error)
      if (wizard === undefined) throw failure
      const next = await wizard.askAgain(failure)
      if ('words' in next) return next
      order = next
    }
  }
}

const newOrder = (context: Context, deps: Spending, placed: Placed): PlacedOrder => {
  const { created, reference, expiresAt, sameId } = placed
  return {
    orderId: created.id,
    isConfirmed: false,
    created: {
      order: created,
      readExpiry: () => ({ expiresAt, now: deps.serviceNow() }),
      // The answer to create does not repeat the reference.
      result: { data: () => ({ ...created, reference }), ids: [created.id] },
      screen: async (output) => {
        const { renderCreated } = await import('../../ui/screens/order.ts')
        return renderCreated(created, reference, viewOf(context, deps.serviceNow(), output))
      },
    },
    readOffer: async (maxTotal) => {
      const offer = offerOf(created, { reference, expiresAt })
      // The id was used before, so the answer may be an old one. The order itself must be the new one.
      if (sameId.length > 0) refuseChanges(created.id, (await readForConfirm(deps, created.id)).differences)
      guard(offer, { maxTotal }, deps.serviceNow())
      return offer
    },
  }
}

const warnOfSimilar = async (
  { stderr }: Context,
  { journal, owner }: Spending,
  reference: string,
): Promise<void> => {
  for (const similar of await journal.findSimilarReferences(owner.account, reference)) {
    stderr.write(
      `warning: the reference ${sanitize(reference)} looks like '${sanitize(similar)}', which is already used\n`,
    )
  }
}

/** A service that was reset reuses its ids, and a proxy may repeat an old answer. */
const warnOfSameId = ({ stderr }: Context, { created, sameId }: Placed): void => {
  for (const { reference = '', state } of sameId) {
    stderr.write(
      `warning: the service reused the order id ${sanitize(created.id)}. ` +
        `In this journal, it belongs to the reference ${sanitize(reference)} (${sanitize(state)}).\n`,
    )
  }
}
