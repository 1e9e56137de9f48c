// Places an order: one create, sent once, in the journal before its first byte leaves.
import type { Outcome } from '../client/outcome.ts'
import { decimalText } from '../contract/decimal.ts'
import { lengthText } from '../contract/duration.ts'
import { writeJson } from '../contract/json.ts'
import type { OrderRequest } from '../contract/order-request.ts'
import type { CreatedOrder } from '../contract/schemas.ts'
import { shellWord } from '../contract/shell-word.ts'
import { Failure } from '../errors.ts'
import type { CreateEnd } from '../journal/calls.ts'
import { type Entry, isVoid } from '../journal/entry.ts'
import type { Progress, Spending } from './deps.ts'
import { refusedFailure, unsentFailure } from './failure-of.ts'
import { interruption } from './read.ts'
import { reconcile } from './reconcile.ts'
import { afterwards, beforehand } from './record.ts'
import { type ServiceTime, serviceTime } from './service-time.ts'

export type Placed = { readonly created: CreatedOrder; readonly serviceTime: ServiceTime }

export type PlaceOptions = Progress & { readonly allowDuplicate?: boolean }

export const place = async (
  deps: Spending,
  request: OrderRequest,
  { allowDuplicate = false, onSending }: PlaceOptions = {},
): Promise<Placed> => {
  const { api, clock, journal } = deps
  const begun = await begin(deps, request, allowDuplicate)
  onSending?.()
  const outcome = await api.create(request)
  const heard = serviceTime(clock, outcome.serverTime)
  const written = afterwards(() => journal.endCreate(begun, endOf(outcome), clock.now()))
  switch (outcome.kind) {
    case 'done': {
      const { id } = outcome.data
      written.orThrow(`the order ${id} was created, and is not confirmed`, id)
      return { created: outcome.data, serviceTime: heard }
    }
    case 'refused':
      throw written.beside(refusedFailure(outcome))
    case 'not-sent':
      throw written.beside(unsentFailure(outcome))
    case 'unknown': {
      const { orderId, reason, status } = outcome
      // The service has no look-up by reference: without an id in the answer, nobody can find it again.
      const found =
        orderId === undefined
          ? 'Do not order again yet. Without an id it cannot be looked up or confirmed; it lapses in about ten minutes and spends nothing (whether it holds funds until then is not documented). Then: orderctl reconcile'
          : `Look at it: orderctl get ${shellWord(orderId)}`
      throw written.beside(
        new Failure('unknown', `whether the order ${request.reference} was created is not known: ${reason}`, {
          fix: found,
          ...(orderId === undefined ? {} : { orderId }),
          ...(status === undefined ? {} : { status }),
        }),
      )
    }
  }
}

const begin = async (deps: Spending, request: OrderRequest, allowDuplicate: boolean) => {
  const { api, clock, interrupted, journal, owner } = deps
  const { reference, wallet, productList } = request
  for (;;) {
    if (interrupted.aborted) throw interruption(interrupted, 'interrupted; nothing was sent')
    const at = clock.now()
    const begun = beforehand(
      () =>
        journal.beginCreate({
          ...owner,
          ...{ reference, wallet, allowDuplicate, at, until: at + api.timeoutMs('create') },
          // Without the webhook: its address may be a secret.
          request: writeJson({ productList, wallet, reference }),
        }),
      'nothing was sent',
    )
    if (begun.kind === 'begun') return begun
    // It may have come to nothing since: the service knows.
    const isHere = begun.by.origin === owner.origin
    const { entry } = isHere ? await reconcile(deps, begun.by) : { entry: begun.by }
    if (interrupted.aborted) continue
    if (!isVoid(entry.standing)) throw taken(entry, at, isHere)
  }
}

const taken = (
  { reference, orderId, standing, placedAt, origin }: Entry,
  now: number,
  isHere: boolean,
): Failure => {
  const order = orderId === undefined ? 'an order whose id is not known' : `the order ${orderId}`
  const age = `placed ${lengthText(now - placedAt)} ago${isHere ? '' : `, at ${origin}`}`
  return new Failure(
    'usage',
    `the reference ${reference} is taken by ${order}, ${standing}, ${age}; nothing was sent`,
    {
      field: 'reference',
      fix: `${orderId === undefined ? 'orderctl reconcile' : `orderctl get ${shellWord(orderId)}`}; for another order all the same: --allow-duplicate`,
      ...(orderId === undefined ? {} : { orderId }),
    },
  )
}

const endOf = (outcome: Outcome<CreatedOrder>): CreateEnd => {
  switch (outcome.kind) {
    case 'done': {
      const { id, invoice, expiresAt } = outcome.data
      return { outcome: 'done', orderId: id, total: decimalText(invoice.total), expiresAt }
    }
    case 'refused':
      return { outcome: 'refused', status: outcome.status, refusal: outcome.refusal }
    case 'not-sent':
      return { outcome: 'not-sent' }
    case 'unknown':
      return { outcome: 'unknown', status: outcome.status, orderId: outcome.orderId }
  }
}
