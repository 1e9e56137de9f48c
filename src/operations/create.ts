// Places an order: records the intent in the journal, then sends create once. Then finds an earlier order that create would
// repeat.

import type { Outcome, RefusedOutcome, UnknownOutcome } from '../client/api.ts'
import { isSuccess } from '../client/response.ts'
import { writeJson } from '../contract/json.ts'
import { findWebhookHost } from '../contract/limits.ts'
import { formatDecimal } from '../contract/money/decimal.ts'
import type { OrderRequest } from '../contract/order/order-request.ts'
import { formatProducts } from '../contract/order/ordered-products.ts'
import type { CreatedOrder, Invoice } from '../contract/schemas.ts'
import { Failure, interruption } from '../errors.ts'
import type { Claim } from '../journal/batches/batches.ts'
import type { Grouping } from '../journal/batches/slots.ts'
import type { CreateEnd } from '../journal/orders/apply.ts'
import { beginCreate, endCreate } from '../journal/orders/calls.ts'
import { type Entry, findAllByReference, findUnproven, type StartedCall } from '../journal/orders/entries.ts'
import { findExpiry, isHolding, isOpen, isUnprovenOrder } from '../journal/orders/standings.ts'
import { type CallProgress, type Session, tryToRecord, withFacts } from './dependencies.ts'
import {
  createClaimFailure,
  createDuplicateFailure,
  createOpenConfirmFailure,
  createOpenCreateFailure,
  createRefusedFailure,
  createSlotTakenFailure,
  createUnsentFailure,
  describeProof,
} from './failures.ts'
import { compareRequest, type Difference, differenceText, type Offer, toOffer } from './offer.ts'
import { readPurchaseStep } from './purchase-step.ts'
import { findShare } from './read.ts'
import { reconcile } from './reconcile.ts'
import { isForgotten } from './view.ts'

export type NewOrder = {
  /** Its number in the journal. */
  readonly order: number
  readonly created: CreatedOrder
  readonly offer: Offer
  /** Orders in the journal that already have this order's id. */
  readonly sameId: readonly Entry[]
}

type PlaceOptions = CallProgress & {
  readonly allowDuplicate?: boolean
  /** For an order of a batch. */
  readonly claim?: Claim
  /** How to split its slot after this refusal. */
  readonly groupAfter?: (refused: RefusedOutcome) => Grouping | undefined
}

export const place = async (
  session: Session,
  request: OrderRequest,
  options: PlaceOptions = {},
): Promise<NewOrder> => {
  const { api, clock, journal } = session
  refuseSecrets(session, request)
  const begun = await recordCreate(session, request, options)
  options.onSending?.()
  const outcome = await api.create(request)
  const group = outcome.kind === 'refused' ? options.groupAfter?.(outcome) : undefined
  const split = options.claim && group && { ...options.claim, group }
  const written = await tryToRecord(() =>
    endCreate(journal, begun, toCreateEnd(request, outcome), clock.now(), split),
  )
  switch (outcome.kind) {
    case 'done': {
      const { data: created } = outcome
      const { id: orderId } = created
      const { reference } = request
      written.orThrow('local-state', `the order ${orderId} was created, and is not confirmed`, orderId)
      const { serverTime: createdAt } = outcome
      const expiresAt = findExpiry({ createdAt, expiresAt: created.expiresAt, placedAt: 0, request: '' })
      return {
        order: begun.order,
        created,
        offer: toOffer({ orderId, reference }, created.invoice, expiresAt, created.expiresAt),
        sameId: written.result ?? [],
      }
    }
    case 'refused':
      throw written.addTo(createRefusedFailure(outcome, 'create'))
    case 'not-sent':
      throw written.addTo(createUnsentFailure(outcome, session.owner, 'Nothing was sent.'))
    case 'unknown':
      throw written.addTo(createNoResponseFailure(outcome))
  }
}

/** The client masks the key in responses, so such an order would not be recognized when it is read. */
export const refuseSecrets = (
  { containsSecret }: Pick<Session, 'containsSecret'>,
  { reference, productList }: OrderRequest,
): void => {
  const skus = productList.map(({ sku }, index) => ({
    what: 'SKU',
    text: sku,
    field: `productList[${index}].sku`,
  }))
  for (const { what, text, field } of [{ what: 'reference', text: reference, field: 'reference' }, ...skus]) {
    if (containsSecret?.(text) !== true) continue
    const problem = `the ${what} contains the account's key, or a part of it; nothing was sent`
    throw new Failure('usage', problem, { field })
  }
}

/** An unconfirmed order spends nothing, so a lost response to create costs nothing. */
const createNoResponseFailure = ({ orderId, reason: text, status }: UnknownOutcome): Failure => {
  // A message of the service may end with a full stop.
  const reason = text.replace(/\.$/, '')
  const created = isSuccess(status ?? 200) ? 'created' : 'create named the order'
  return orderId === undefined
    ? new Failure('unavailable', `create gave no usable response: ${reason}. It was not confirmed`, {
        status,
        quotes: [reason],
        advice: 'Run the command again. If an order was created, it expires unconfirmed and costs nothing.',
        retryable: true,
      })
    : new Failure(
        'unavailable',
        `${created} ${orderId}, but the response was not as documented: ${reason}. This run did not confirm it`,
        { status, orderId, quotes: [reason], fix: (suggest) => suggest`get ${orderId}` },
      )
}

const recordCreate = async (
  session: Session,
  request: OrderRequest,
  { allowDuplicate = false, claim }: PlaceOptions,
): Promise<StartedCall> => {
  const { api, clock, interrupted, journal, owner } = session
  const { productList, wallet, reference, webhookUrl } = request
  for (;;) {
    if (interrupted.aborted) throw interruption(interrupted, 'interrupted; nothing was sent')
    const at = clock.now()
    const intent = {
      ...owner,
      ...{ reference, wallet, allowDuplicate, claim, at },
      until: at + api.timeoutMs('create'),
      // Without the address of the webhook, because it may be a secret.
      request: writeJson({ productList, wallet, reference }),
      webhookHost: findWebhookHost(webhookUrl),
    }
    const begun = await withFacts('nothing was sent', () => beginCreate(journal, intent))
    if (begun.kind === 'started') return begun
    if (begun.kind === 'slot-taken') throw createSlotTakenFailure(begun.by)
    if (begun.kind !== 'taken') throw createClaimFailure(begun.kind, 'nothing was sent')
    // The order of a batch never waits for a different one: the batch checks its slot again.
    if (claim !== undefined) throw createDuplicateFailure(begun.by, {})
    await withFacts('no create was sent', () => refuseTaken(session, begun.by))
  }
}

/** Of these orders, the one that has the reference. Throws if it cannot be continued now. */
const findOrderToContinue = async (
  session: Session,
  orders: readonly Entry[],
): Promise<Entry | undefined> => {
  const step = await readPurchaseStep(session, orders, 'reference')
  if (step.kind === 'create') return undefined
  if (step.kind === 'refused') throw createDuplicateFailure(step.entry, {})
  if (step.kind === 'wait') throw createOpenCreateFailure(step.call, step.entry)
  return step.entry
}

/** Returns if the other order turns out to be void. */
const refuseTaken = async (session: Session, by: Entry): Promise<void> => {
  if ((await findOrderToContinue(session, [by])) === undefined) return
  const { entry, unproven, provenAt } = await reconcile(session, by)
  if (session.interrupted.aborted || !isHolding(entry)) return
  throw createDuplicateFailure(entry, { unproven, provenAt })
}

const toCreateEnd = (request: OrderRequest, outcome: Outcome<CreatedOrder>): CreateEnd => {
  const { serverTime: createdAt } = outcome
  if (outcome.kind === 'done') {
    const { id: orderId, invoice, expiresAt } = outcome.data
    const products = formatNewProducts(request, invoice)
    const facts = { orderId, createdAt, ...(expiresAt >= 0 && { expiresAt }) }
    return { outcome: 'done', ...facts, total: formatDecimal(invoice.total), products }
  }
  if (outcome.kind === 'not-sent') return { outcome: 'not-sent' }
  const { kind, status } = outcome
  if (kind === 'refused') return { outcome: kind, status, refusal: outcome.refusal }
  const { orderId, expiresAt } = outcome
  return orderId === undefined
    ? { outcome: kind, status }
    : { outcome: kind, status, orderId, createdAt, expiresAt }
}

/** The order to continue with; undefined if the reference is free. */
export const findPlaced = async (session: Session, request: OrderRequest): Promise<Entry | undefined> => {
  const { interrupted, journal, owner } = session
  for (;;) {
    const all = await findAllByReference(journal.read, owner.account, request.reference)
    const holder = await findOrderToContinue(session, all)
    if (holder === undefined) return undefined
    refuseDifferent(holder, request)
    const { entry, response, unproven, provenAt, problem } = await reconcile(session, holder)
    if (interrupted.aborted) throw interruption(interrupted, 'interrupted; nothing was sent')
    if (!isHolding(entry)) continue
    if (unproven !== undefined && isOpen(unproven))
      throw createOpenConfirmFailure(unproven, entry.orderId ?? '', provenAt)
    if (problem !== undefined && entry.standing !== 'confirmed')
      throw response !== undefined && isForgotten(response) ? createMissingFailure(entry, problem) : problem
    return entry
  }
}

/** The service may show the order later. If it was never confirmed, it expires, and then the same command orders anew. */
const createMissingFailure = (
  { orderId = '', reference = '', standing }: Entry,
  { message, details: { status, quotes } }: Failure,
): Failure =>
  isUnprovenOrder({ standing })
    ? new Failure(
        'unproven',
        `${message.replace(/\.$/, '')}, but a confirm of the order may have spent money`,
        {
          ...describeProof(orderId, undefined),
          status,
          quotes,
        },
      )
    : new Failure('unavailable', `the order of the reference ${reference} could not be read: ${message}`, {
        ...{ orderId, status, quotes },
        advice: 'This run sent no create. Run the command again.',
        retryable: true,
      })

const refuseDifferent = (entry: Entry, request: OrderRequest): void => {
  const differences = compareRequest(entry, request)?.concat(findWebhookDifference(entry, request))
  if (differences?.length === 0) return
  const { orderId = '', reference = '', state } = entry
  const what =
    differences === undefined ? 'whose contents are not in the journal' : 'which has different contents'
  throw new Failure(
    'different-order',
    `the reference ${reference} belongs to the order ${orderId} (${state}), ${what}; nothing was sent`,
    {
      field: 'reference',
      orderId,
      violations: differences?.map(differenceText),
      fix: (suggest) => suggest`get ${orderId}`,
      advice: 'To order something else, choose a different reference.',
    },
  )
}

/** The journal keeps only the host, because the rest of the address may be a secret. */
const findWebhookDifference = (entry: Entry, { webhookUrl }: OrderRequest): Difference[] => {
  const [placed, now] = [entry.webhookHost ?? 'none', findWebhookHost(webhookUrl) ?? 'none']
  return placed === now ? [] : [{ field: 'webhook host', placed, now }]
}

/** An order with the same contents whose confirm may have spent money: this create may repeat it. */
export const findUnprovenTwin = async (
  { journal, owner }: Pick<Session, 'journal' | 'owner'>,
  request: OrderRequest,
): Promise<Entry | undefined> => {
  const unproven = await findUnproven(journal.read, owner)
  return unproven.find((entry) => compareRequest(entry, request)?.length === 0)
}

export const createTwinFailure = ({ orderId = '', state }: Entry): Failure =>
  new Failure(
    'same-products',
    `the order ${orderId} (${state}) has the same products, and its confirm may have spent money; nothing was sent`,
    {
      orderId,
      fix: (suggest) => suggest`reconcile ${orderId}`,
      advice: 'To order again anyway, add --allow-duplicate.',
    },
  )

/** Returns undefined if the products cannot be stored. */
const formatNewProducts = (
  { productList }: Pick<OrderRequest, 'productList'>,
  invoice: Invoice,
): string | undefined =>
  formatProducts(
    productList.map(({ sku, productType, quote, quantity }) => ({
      sku,
      productType,
      quote: formatDecimal(quote),
      ordered: quantity,
      charged: findShare(invoice, sku),
    })),
  )
