// Places the order of a create, or continues the order that an earlier run placed, and confirms it.

import { type Consent, confirmWithConsent, requireConsent, requireWebhookConsent } from '../../app/consent.ts'
import { mayAsk, writeNote } from '../../app/notes.ts'
import { acceptConfirmed, showProgress } from '../../app/send-order.ts'
import type { SendingSession } from '../../app/session.ts'
import type { OrderRequest } from '../../contract/order/order-request.ts'
import { findWebhookHost } from '../../contract/webhook-host.ts'
import { interruption } from '../../errors.ts'
import type { Entry } from '../../journal/orders/entry.ts'
import { findSimilarReferences } from '../../journal/orders/queries.ts'
import { type Placed, place } from '../../operations/create/place.ts'
import { createTwinFailure, findPlaced, findUnprovenTwin } from '../../operations/create/resume.ts'
import type { NamedOrder } from '../../operations/read.ts'
import { withFacts } from '../../operations/record.ts'
import type { Account } from '../../profiles/account.ts'
import { renderCreatedLine } from '../../ui/screens/order-line.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { consentOf, mayContinueConfirmed } from './consent.ts'
import type { CompleteOrder, Draft } from './draft.ts'
import { addProductHints } from './product-hints.ts'
import type { CreateOptions } from './spec.ts'
import type { Wizard } from './wizard/wizard.ts'

/** An order that create sends, and the options for sending it. */
export type Submission = CompleteOrder &
  Pick<Draft, 'list'> & {
    readonly account: Account
    readonly options: CreateOptions
    /** The id of the order that is ordered again. */
    readonly earlierId?: string
    /** Shows the products of an earlier order before they are placed again. */
    readonly review?: () => void
    /** Undefined unless the wizard runs. */
    readonly wizard?: Wizard
  }

/** 'earlier' and 'confirmed': an earlier run has placed the order of this reference. */
export type PlacedOrder = NamedOrder &
  (
    | (Placed & { readonly kind: 'new'; readonly consent: Consent })
    | { readonly kind: 'earlier'; readonly consent: Consent }
    | { readonly kind: 'confirmed' }
  )

/** With --idempotent, first looks for an order with the same reference. */
export const placeOrder = async (session: SendingSession, submission: Submission): Promise<PlacedOrder> => {
  const { options, request, review } = submission
  const judge = (facts: string): Promise<Consent> => requireOrderConsent(session, submission, facts)
  const wanted = { options, reference: request.reference }
  const isReadFirst = await mayContinueConfirmed(session, session.journal, wanted)
  const early = isReadFirst ? undefined : await judge('nothing was sent')
  const entry = options.idempotent ? await findEarlier(session, request) : undefined
  const { orderId = '' } = entry ?? {}
  if (entry?.confirmedAt !== undefined) return { kind: 'confirmed', orderId, entry }
  const consent = early ?? (await judge('no create or confirm was sent'))
  if (entry !== undefined) return { kind: 'earlier', orderId, entry, consent }
  review?.()
  const placed = await sendCreate(session, submission).catch(async (error) => {
    throw await addProductHints(session.journal, submission, error)
  })
  submission.wizard?.notePlaced()
  // If a confirm follows, stdout gets only the final order. A prompt shows the order itself.
  if (options.confirm) {
    const { created, offer } = placed
    const line = renderCreatedLine(created, offer.reference, session.serviceNow(), session.context.stderr)
    writeNote(session.context, line)
  }
  return { kind: 'new', orderId: placed.created.id, consent, ...placed }
}

/** Throws if the order would be confirmed, or its codes sent to a webhook, without consent. */
const requireOrderConsent = async (
  session: SendingSession,
  { options, request, wizard, earlierId }: Submission,
  facts: string,
): Promise<Consent> => {
  const consent = consentOf({ options, reference: request.reference, earlierId })
  await requireConsent(session.context, consent)
  const host = findWebhookHost(request.webhookUrl)
  // The wizard and the prompt of --watch show the host. An address that was typed is accepted.
  if (options.confirm && wizard === undefined && options.webhookUrl === undefined)
    await requireWebhookConsent(session, host, { ...options, facts })
  return { ...consent, acceptWebhook: host }
}

const findEarlier = async (session: SendingSession, request: OrderRequest): Promise<Entry | undefined> => {
  const entry = await withFacts('no create was sent', () => findPlaced(session, request))
  if (entry === undefined) return undefined
  const { orderId = '', reference = '', state } = entry
  writeNote(
    session.context,
    `The reference ${sanitize(reference)} belongs to the order ${sanitize(orderId)} (${sanitize(state)}). Continuing with it.\n`,
  )
  return entry
}

const sendCreate = async (session: SendingSession, submission: Submission): Promise<Placed> => {
  const { context, account, journal, owner } = session
  const { request, hasOwnReference, options } = submission
  const { stderr } = context
  const { allowDuplicate } = options
  if (account.kind === 'sandbox' && request.webhookUrl !== undefined) {
    writeNote(context, 'The sandbox sends no webhooks; orderctl serve-mock does.\n')
  }
  await withFacts('no create was sent', async () => {
    if (!allowDuplicate && !hasOwnReference) await refuseRepeat(session, submission)
    for (const similar of await findSimilarReferences(journal.read, owner.account, request.reference)) {
      const used = `looks like '${sanitize(similar)}', which is already used`
      stderr.warn(`the reference ${sanitize(request.reference)} ${used}`)
    }
  })
  using progress = showProgress(session, 'create')
  const placed = await place(session, request, { ...progress, allowDuplicate })
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
const refuseRepeat = async (session: SendingSession, { request, options }: Submission): Promise<void> => {
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
  { options, wizard }: Submission,
): Promise<void> => {
  if (placed.kind === 'confirmed') return
  const { kind, consent } = placed
  const isNew = kind === 'new'
  // The wizard has asked about a new order.
  const isAsked = consent.isAsked && !(isNew && wizard !== undefined)
  try {
    // A proxy may repeat the response to a different create, so a new order is read and compared, too.
    await confirmWithConsent(session, placed, { ...consent, isAsked }, { ...options, isNew })
  } catch (error) {
    // Another run may have confirmed the order meanwhile.
    acceptConfirmed(session.context, options.idempotent, error)
  }
}
