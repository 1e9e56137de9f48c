// Places the order of a create, or continues the order that an earlier run placed. If it is refused, the wizard lets the
// user change it.
import type { Context } from '../../context.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { interruption } from '../../errors.ts'
import type { Entry } from '../../journal/entry.ts'
import { type Placed, place, refuseSecrets } from '../../operations/place.ts'
import { withFacts } from '../../operations/record.ts'
import { createTwinFailure, findPlaced, findUnprovenTwin } from '../../operations/resume.ts'
import type { Session } from '../../operations/session.ts'
import type { Account } from '../../profiles/account.ts'
import { renderCreatedLine } from '../../ui/screens/order-line.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import type { Journals } from '../shared/journal/open-journal.ts'
import { writeNote } from '../shared/notes.ts'
import { mayAsk } from '../shared/options.ts'
import type { ProductList } from '../shared/products/product-list.ts'
import { withInterruptNotice } from '../shared/send-order.ts'
import type { SendingSession } from '../shared/session.ts'
import type { CompleteOrder } from './draft.ts'
import { printRequest } from './order-file.ts'
import { addProductHints, printHints } from './products.ts'
import type { CreateOptions } from './spec.ts'

/** Another command that does what the user wants. `create` cannot run it itself. */
export type Handover = { readonly kind: 'handover'; readonly words: readonly string[] }

export type Submission = {
  readonly options: CreateOptions
  readonly account: Account
  readonly order: CompleteOrder
  /** The products of the account, if they are known. */
  readonly list: ProductList | undefined
  /** Shows the products of an earlier order before they are placed again. */
  readonly review?: (request: OrderRequest) => void
  /** Present if the user answers questions. */
  readonly wizard?: Wizard
}

export type Wizard = {
  /** The order by the latest answers, or the command that buys it as a batch. */
  order(): CompleteOrder | Handover
  /** Shows the order again, so that the user can change it. Throws the failure if another answer cannot help. */
  askAgain(failure: unknown): Promise<CompleteOrder | Handover>
  /** Undefined if the user cancels. `now` is the service's time. */
  askToConfirm(placed: NewOrder, now: number): Promise<boolean | undefined>
  /** Then prints the command without questions, unless it might repeat an order. */
  printCommandAfter(submit: () => Promise<number | Handover>): Promise<number | Handover>
}

/** An order that this create placed. */
export type NewOrder = Placed & { readonly kind: 'new'; readonly orderId: string }

/** An order that an earlier run with the same reference placed. */
type EarlierOrder = { readonly kind: 'earlier'; readonly orderId: string; readonly isConfirmed: boolean }

export type PlacedOrder = NewOrder | EarlierOrder

/** For a dry run. */
export const checkOnly = async (
  context: Context,
  { options, account, order, list }: Submission,
  journals: Journals | undefined,
): Promise<number> => {
  if (account.kind === 'service' && account.getKnownKey !== undefined) {
    const { createSecretTest } = await import('../../client/credentials.ts')
    refuseSecrets({ containsSecret: createSecretTest(account.auth, account.getKnownKey()) }, order.request)
  }
  if (list === undefined) await printHints(context, account, order.request, journals)
  return printRequest(context, order.request, options)
}

/** Places the order. With --idempotent, first looks for the order that has its reference. */
export const placeOrder = async (
  context: Context,
  session: SendingSession,
  { order: first, account, options, list, review, wizard }: Submission,
): Promise<PlacedOrder | Handover> => {
  // The user may have changed the order since.
  let order = wizard === undefined ? first : wizard.order()
  if (order.kind === 'handover') return order
  const { request } = order
  const earlier = options.idempotent
    ? await withFacts('no create was sent', () => findPlaced(session, request))
    : undefined
  if (earlier !== undefined) return continueOrder(context, earlier)
  review?.(request)
  for (;;) {
    try {
      const placed = await sendCreate(context, session, order, options)
      // If a confirm follows, stdout gets only the final order.
      if (options.confirm || options.watch) {
        const { created, reference } = placed
        writeNote(context, renderCreatedLine(created, reference, session.serviceNow(), context.stderr))
      }
      return { kind: 'new', orderId: placed.created.id, ...placed }
    } catch (error) {
      const failure = await addProductHints(session, account, { request: order.request, list }, error)
      if (wizard === undefined) throw failure
      const next = await wizard.askAgain(failure)
      if (next.kind === 'handover') return next
      order = next
    }
  }
}

const sendCreate = async (
  context: Context,
  session: SendingSession,
  { request, hasOwnReference }: CompleteOrder,
  options: CreateOptions,
): Promise<Placed> => {
  const { allowDuplicate } = options
  if (session.account.kind === 'sandbox' && request.webhookUrl !== undefined) {
    writeNote(context, 'The sandbox sends no webhooks; orderctl serve-mock does.\n')
  }
  await withFacts('no create was sent', async () => {
    if (!allowDuplicate && !hasOwnReference) await refuseRepeat(context, session, request, options)
    await warnOfSimilar(context, session, request.reference)
  })
  const placed = await withInterruptNotice(context, session, 'create', (progress) =>
    place(session, request, { ...progress, allowDuplicate }),
  )
  warnOfSameId(context, placed)
  return placed
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

const warnOfSimilar = async (
  { stderr }: Context,
  { journal, owner }: Session,
  reference: string,
): Promise<void> => {
  for (const similar of await journal.findSimilarReferences(owner.account, reference)) {
    stderr.warn(
      `the reference ${sanitize(reference)} looks like '${sanitize(similar)}', which is already used`,
    )
  }
}

/** A service that was reset reuses its ids, and a proxy may repeat an old response. */
const warnOfSameId = ({ stderr }: Context, { created, sameId }: Placed): void => {
  for (const { reference = '', state } of sameId) {
    stderr.warn(
      `the service reused the order id ${sanitize(created.id)}. ` +
        `In this journal, it belongs to the reference ${sanitize(reference)} (${sanitize(state)}).`,
    )
  }
}

const continueOrder = (
  context: Context,
  { orderId = '', reference = '', state, confirmedAt }: Entry,
): EarlierOrder => {
  writeNote(
    context,
    `The reference ${sanitize(reference)} belongs to the order ${sanitize(orderId)} (${sanitize(state)}). Continuing with it.\n`,
  )
  return { kind: 'earlier', orderId, isConfirmed: confirmedAt !== undefined }
}
