// What create does with a complete order: places it or continues that of an earlier run, confirms it with consent, or shows
// it unconfirmed. Also --dry-run, which sends nothing.

import type { CommandSession } from '../../app/open-session.ts'
import { acceptConfirmed, refuseRetry, type SendingSession } from '../../app/open-to-send.ts'
import { ensureDelivered, outputFor } from '../../app/output/output.ts'
import { describeOrders, showOrder, withoutJournal } from '../../app/output/show-order.ts'
import {
  type Consent,
  confirmWithConsent,
  requireConsent,
  requireWebhookConsent,
  showProgress,
} from '../../app/send-order.ts'
import { mayAsk, writeNote, writeNoteOnce, writeProse } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { findWebhookHost } from '../../contract/limits.ts'
import { formatDecimal } from '../../contract/money/decimal.ts'
import type { OrderRequest } from '../../contract/order/order-request.ts'
import { exitCodes, Failure, interruption, joinAdvice, type Remedy } from '../../errors.ts'
import { mayOnlyPrepare } from '../../journal/accounts.ts'
import type { Journal } from '../../journal/journal.ts'
import {
  type Entry,
  findAllByReference,
  findSimilarReferences,
  getOrder,
} from '../../journal/orders/entries.ts'
import { initialState, isHolding } from '../../journal/orders/standings.ts'
import {
  createTwinFailure,
  findPlaced,
  findUnprovenTwin,
  type NewOrder,
  place,
  refuseSecrets,
} from '../../operations/create.ts'
import { withFacts } from '../../operations/dependencies.ts'
import { findRefused, rewrite } from '../../operations/failures.ts'
import { type NamedOrder, readOrder } from '../../operations/read.ts'
import type { Account } from '../../profiles/account.ts'
import { maskResponse } from '../../ui/masking/mask-response.ts'
import { renderCreatedLine } from '../../ui/screens/order-line.ts'
import { type OrderFacts, orderFields } from '../../ui/screens/orders.ts'
import { describeConfirm } from '../../ui/screens/state.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { listNames, readFields, renderJson } from '../../ui/text/result-fields.ts'
import type { CompleteOrder } from './draft.ts'
import type { CreateOptions } from './spec.ts'
import type { Wizard } from './wizard.ts'

/** An order that create sends, and the options for sending it. */
export type Submission = CompleteOrder & {
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
    | (NewOrder & { readonly kind: 'new'; readonly consent: Consent })
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
  const placed = await sendCreate(session, submission).catch((error) => {
    throw addAdvice(submission, error)
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
  writeNoteOnce(
    session.context,
    `The reference ${sanitize(reference)} belongs to the order ${sanitize(orderId)} (${sanitize(state)}). Continuing with it.\n`,
  )
  return entry
}

const sendCreate = async (session: SendingSession, submission: Submission): Promise<NewOrder> => {
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
  writeProse(
    context,
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
    acceptConfirmed(
      session.context,
      options.idempotent,
      isNew ? refuseRetry(options.idempotent, error) : error,
    )
  }
}

type OrderInput = {
  readonly options: CreateOptions
  /** Of the new order. */
  readonly reference: string | undefined
  /** Of the order that is ordered again. By its id, every run chooses the same reference. */
  readonly earlierId?: string | undefined
}

export const consentOf = ({ options, reference = '', earlierId = '' }: OrderInput): Consent => {
  const { again, confirm, file, noInput, watch, webhookUrl, acceptWebhook } = options
  const isRepeatable = [again, file, options.reference].some((each) => each !== undefined)
  const changed = new Map([
    ['--watch', [...(isRepeatable ? [] : ['--reference', reference]), '--confirm', '--watch']],
    [again ?? '', [earlierId]],
    [`--again=${again}`, [`--again=${earlierId}`]],
  ])
  return {
    isAsked: watch && !confirm,
    ...{ noInput, acceptWebhook },
    createFailure: (reason) =>
      new Failure('usage', `create --watch needs --confirm, because it cannot prompt: ${reason}`, {
        field: '--confirm',
        // The address of a webhook may hold a token.
        fix: (suggest) => (webhookUrl === undefined ? suggest.typed(changed) : undefined),
        advice: isRepeatable
          ? 'Use --confirm to spend without a prompt.'
          : 'Add --confirm to spend without a prompt, and --reference so that a second run does not buy again.',
      }),
    afterNo: (orderId) => adviseConfirm(orderId, options),
  }
}

const adviseConfirm = (orderId: string, { watch }: CreateOptions): Remedy => ({
  fix: (suggest) => suggest`confirm ${orderId} ${{ watch }}`,
  advice: 'If you do nothing, the order expires and costs nothing.',
})

/** Such an order is read before the consent is judged: if it is confirmed, --idempotent needs none. */
export const mayContinueConfirmed = async (
  { owner }: CommandSession,
  { read }: Journal,
  { options, reference }: OrderInput,
): Promise<boolean> => {
  if (!options.idempotent || reference === undefined) return false
  const known = await findAllByReference(read, owner.account, reference)
  return known.some((entry) => isHolding(entry) && entry.standing !== 'pending')
}

/** `isLeft`: the person was asked, and did not confirm it. */
export const showUnconfirmed = async (
  session: SendingSession,
  placed: PlacedOrder,
  { options, request, wizard }: Submission,
  isLeft: boolean,
): Promise<number> => {
  const { context } = session
  const { stdout, stderr, interrupted, suggest } = context
  const { orderId } = placed
  const webhookHost = findWebhookHost(request.webhookUrl)
  if (placed.kind !== 'new') {
    const seen = await readOrder(session, placed, placed.kind === 'confirmed' ? 'confirmed' : 'shown')
    return showOrder(session, seen, options)
  }
  // If stdout is the same terminal, the wizard has already shown the order.
  if (wizard === undefined || !stdout.isTerminal) {
    await outputFor(context, options, { isPlaced: true }).print({
      names: listNames(orderFields),
      data: async () => readFields(orderFields, await describeCreated(session, placed)),
      ids: [orderId],
      screen: async () => {
        const { renderCreated } = await import('../../ui/screens/order.ts')
        const view = viewOf(context, session.serviceNow())
        return renderCreated(placed.created, placed.offer.reference, view, webhookHost)
      },
    })
  }
  const facts = `the order ${orderId} was created, and is not confirmed`
  await ensureDelivered(context, facts, orderId)
  if (isLeft)
    throw interruption(interrupted, sanitize(facts), { orderId, ...adviseConfirm(orderId, options) })
  if (stderr.isTerminal) {
    let needsOtherRole = false
    await session.journals.attempt('the limits were not read', async ({ read }) => {
      needsOtherRole = await mayOnlyPrepare(read, session.owner.account)
    })
    writeProse(context, `${describeConfirm({ needsOtherRole })}: ${suggest`confirm ${orderId}`}\n`)
  }
  return exitCodes.ok.code
}

/** A new order, whose response contains less than the journal. */
const describeCreated = async (
  { journals, clock }: CommandSession,
  { order: number, created, offer }: NewOrder,
): Promise<OrderFacts> => {
  const { invoice, id: orderId } = created
  let ofJournal: OrderFacts | undefined
  await journals.attempt('the new order was not read', async ({ read }) => {
    const entry = await getOrder(read, number)
    ;[ofJournal] = entry === undefined ? [] : await describeOrders(read, [{ entry }], clock.now())
  })
  return {
    ...withoutJournal,
    ...(ofJournal ?? {
      entry: {
        ...{ orderId, reference: offer.reference, state: initialState },
        ...{ wallet: invoice.wallet, total: formatDecimal(invoice.total) },
      },
      view: {
        money: 'unspent',
        progress: 'waiting',
        decision: undefined,
        reading: 'none',
        voidReason: undefined,
        duplicates: 0,
      },
      products: undefined,
      expiresAt: created.expiresAt,
    }),
    service: maskResponse(created),
  }
}

export const checkOnly = async (context: Context, { options, account, request }: Submission) => {
  if (account.kind === 'service' && account.getKnownKey !== undefined) {
    const { createSecretTest } = await import('../../client/credentials.ts')
    refuseSecrets({ containsSecret: createSecretTest(account.auth, account.getKnownKey()) }, request)
  }
  context.stdout.write(renderJson(request, { fields: options.fields }))
  writeNote(context, 'The order is valid. Nothing was sent.\n')
  return exitCodes.ok.code
}

/** What may help after a refusal. In the wizard, the user is asked for the type. */
const addAdvice = ({ account, wizard }: Submission, error: unknown): unknown => {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error
  const { fix, advice } = error.details
  const isTypeMissing = findRefused(error, 'create')?.refusal === 'quote-mismatch' && wizard === undefined
  return rewrite(error, error.message, {
    ...error.details,
    fix: account.kind === 'sandbox' ? () => 'orderctl sandbox' : fix,
    advice: joinAdvice(advice, isTypeMissing ? 'For example: --product SKU:12.50/range' : undefined),
  })
}
