// Places the order of a create, or continues the order that an earlier run placed, and confirms it. If the order is
// refused, the wizard lets the user change it.
import type { OrderRequest } from '../../contract/order-request.ts'
import { isVerbatim, type RefusalKind } from '../../contract/refusals.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure, interruption, joinFixes } from '../../errors.ts'
import { refuseChanges } from '../../operations/compare.ts'
import { confirm } from '../../operations/confirm/confirm.ts'
import { readForConfirm } from '../../operations/confirm/read-for-confirm.ts'
import { guard, type Offer, offerOf } from '../../operations/offer.ts'
import { type Placed, place } from '../../operations/place.ts'
import { withFacts } from '../../operations/record.ts'
import { createTwinFailure, findPlaced, findUnprovenTwin } from '../../operations/resume.ts'
import type { Session } from '../../operations/session.ts'
import type { Account } from '../../profiles/account.ts'
import { renderCreatedLine } from '../../ui/screens/order-line.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { writeNote } from '../shared/notes.ts'
import { mayAsk } from '../shared/options.ts'
import { findHint, readEarlierProducts } from '../shared/products/known-products.ts'
import { findProductViolations } from '../shared/products/product-list.ts'
import { acceptConfirmed, withInterruptNotice } from '../shared/send-order.ts'
import type { SendingSession } from '../shared/session.ts'
import type { CompleteOrder, Draft } from './draft.ts'
import type { CreateOptions } from './spec.ts'

export type Submission = Pick<Draft, 'list'> & {
  readonly options: CreateOptions
  readonly account: Account
  /** The user may change it after a refusal. */
  order: CompleteOrder
  /** Shows the products of an earlier order before they are placed again. */
  readonly review?: () => void
  /** Present if the user answers questions. */
  readonly wizard?: Wizard
}

/** The arguments of the command that buys the order as a batch, without `orderctl`. */
export type BatchWords = readonly string[]

export type Wizard = {
  /** The order by the latest answers, or the batch that can buy it. */
  readOrder(): CompleteOrder | BatchWords
  /** Shows the order again, so that the user can change it. Throws the failure if another answer cannot help. */
  askAgain(failure: unknown): Promise<CompleteOrder | BatchWords>
  /** Undefined if the user cancels. `now` is the service's time. */
  askToConfirm(placed: NewOrder, now: number): Promise<boolean | undefined>
  /** Then prints the command without questions, unless it might repeat an order. */
  printCommandAfter(submit: () => Promise<number | BatchWords>): Promise<number | BatchWords>
}

/** An order that this create placed. */
type NewOrder = Placed & { readonly kind: 'new'; readonly orderId: string }

/** The kind 'earlier' is an order that an earlier run placed with the same reference. */
export type PlacedOrder =
  | NewOrder
  | { readonly kind: 'earlier'; readonly orderId: string; readonly isConfirmed: boolean }

/** With --idempotent, first looks for an order with the same reference. */
export const placeOrder = async (
  session: SendingSession,
  submission: Submission,
): Promise<PlacedOrder | BatchWords> => {
  const { context } = session
  const { options, review, wizard } = submission
  const earlier = options.idempotent && (await continueEarlier(session, submission.order.request))
  if (earlier) return earlier
  review?.()
  for (;;) {
    try {
      const placed = await sendCreate(session, submission.order, options)
      // If a confirm follows, stdout gets only the final order.
      if (options.confirm || options.watch) {
        const { created, reference } = placed
        writeNote(context, renderCreatedLine(created, reference, session.serviceNow(), context.stderr))
      }
      return { kind: 'new', orderId: placed.created.id, ...placed }
    } catch (error) {
      const failure = await addProductHints(session, submission, error)
      if (wizard === undefined) throw failure
      const next = await wizard.askAgain(failure)
      if (!('request' in next)) return next
      submission.order = next
    }
  }
}

const continueEarlier = async (
  session: SendingSession,
  request: OrderRequest,
): Promise<PlacedOrder | undefined> => {
  const entry = await withFacts('no create was sent', () => findPlaced(session, request))
  if (entry === undefined) return undefined
  const { orderId = '', reference = '', state, confirmedAt } = entry
  writeNote(
    session.context,
    `The reference ${sanitize(reference)} belongs to the order ${sanitize(orderId)} (${sanitize(state)}). Continuing with it.\n`,
  )
  return { kind: 'earlier', orderId, isConfirmed: confirmedAt !== undefined }
}

const sendCreate = async (
  session: SendingSession,
  { request, hasOwnReference }: CompleteOrder,
  options: CreateOptions,
): Promise<Placed> => {
  const { context, account, journal, owner } = session
  const { stderr } = context
  const { allowDuplicate } = options
  if (account.kind === 'sandbox' && request.webhookUrl !== undefined) {
    writeNote(context, 'The sandbox sends no webhooks; orderctl serve-mock does.\n')
  }
  await withFacts('no create was sent', async () => {
    if (!allowDuplicate && !hasOwnReference) await refuseRepeat(session, request, options)
    for (const similar of await journal.findSimilarReferences(owner.account, request.reference)) {
      const used = `looks like '${sanitize(similar)}', which is already used`
      stderr.warn(`the reference ${sanitize(request.reference)} ${used}`)
    }
  })
  const placed = await withInterruptNotice(session, 'create', (progress) =>
    place(session, request, { ...progress, allowDuplicate }),
  )
  // A service that was reset reuses its ids, and a proxy may repeat an old response.
  for (const { reference = '', state } of placed.sameId) {
    stderr.warn(
      `the service reused the order id ${sanitize(placed.created.id)}. ` +
        `In this journal, it belongs to the reference ${sanitize(reference)} (${sanitize(state)}).`,
    )
  }
  return placed
}

/** The confirm of an earlier order may have spent for the same products. Asks on a terminal, throws in a script. */
const refuseRepeat = async (
  session: SendingSession,
  request: OrderRequest,
  options: CreateOptions,
): Promise<void> => {
  const { context } = session
  const twin = await findUnprovenTwin(session, request)
  if (twin === undefined) return
  if (!mayAsk(context, options)) throw createTwinFailure(twin)
  const { orderId = '' } = twin
  context.stderr.write(
    `The order ${sanitize(orderId)} has the same products, and its confirm may have spent.\n`,
  )
  if (await context.askYesNo('Order the same products again?')) return
  throw interruption(context.interrupted, 'nothing was sent', {
    fix: (suggest) => suggest`reconcile ${orderId}`,
  })
}

export const confirmPlaced = async (
  session: SendingSession,
  placed: PlacedOrder,
  { idempotent: isIdempotent, allowDuplicate, maxTotal }: CreateOptions,
): Promise<void> => {
  const { context } = session
  const { orderId } = placed
  if (placed.kind === 'earlier' && placed.isConfirmed) return
  // If the journal already has the id, the response to create may be an old one, so the order is read and compared.
  if (placed.kind === 'new' && placed.sameId.length > 0) await readUnchanged(session, orderId)
  // Another run may confirm the order meanwhile.
  await acceptConfirmed(context, isIdempotent, async () => {
    const offer =
      placed.kind === 'new' ? offerOf(placed.created, placed) : await readUnchanged(session, orderId)
    guard(offer, { maxTotal }, session.serviceNow())
    const { notice } = await withInterruptNotice(session, 'confirm', (progress) =>
      confirm(session, offer, { ...progress, allowDuplicate }),
    )
    if (notice !== undefined) context.stderr.warn(`${sanitize(notice)}`)
  })
}

/** Throws if the order differs from the one that was placed. */
const readUnchanged = async (session: SendingSession, orderId: string): Promise<Offer> => {
  const { offer, differences } = await readForConfirm(session, orderId)
  refuseChanges(orderId, differences)
  return offer
}

/** The refusals that one product causes, and the part that is wrong. */
const productRefusals: ReadonlyMap<string | undefined, 'sku' | 'price'> = new Map([
  ['product-not-found', 'sku'],
  ['quote-mismatch', 'price'],
  ['quote-out-of-range', 'price'],
])

/** Names the products that probably caused a refusal: the service does not say which product it refuses. */
const addProductHints = async (
  { journal }: Session,
  submission: Submission,
  error: unknown,
): Promise<unknown> => {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error
  const { refusal, said = '', fix, violations } = error.details
  const part = productRefusals.get(refusal)
  const isProduct = part !== undefined && isVerbatim(refusal as RefusalKind, said)
  const hints = isProduct ? await listHints(journal, submission, part) : []
  const isSandbox = submission.account.kind === 'sandbox'
  return new Failure(error.kind, error.message, {
    ...error.details,
    fix: isSandbox ? joinFixes(fix, 'See the products and prices: orderctl sandbox') : fix,
    violations: hints.length === 0 ? violations : hints,
  })
}

const listHints = async (
  journal: Session['journal'],
  { account, order: { request }, list }: Submission,
  part: 'sku' | 'price',
): Promise<readonly string[]> => {
  if (list !== undefined) return findProductViolations(request, list).map(formatViolation)
  try {
    const earlier = await readEarlierProducts(journal, account)
    const hints = request.productList.map((line) => findHint(earlier, line))
    return hints.flatMap((hint) => (hint?.kind === part ? [hint.text] : []))
  } catch (error) {
    // The refusal matters more than the hint.
    if (error instanceof Failure) return []
    throw error
  }
}
