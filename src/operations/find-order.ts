// Finds the orders that an argument selects: an id, `@last`, `ref:REFERENCE`, or `batch:NAME`.

import {
  batchPrefix,
  lastWord,
  namesBatch,
  needsJournal,
  referencePrefix,
} from '../contract/order/reference.ts'
import { Failure } from '../errors.ts'
import { findByBatch } from '../journal/batches/batch-names.ts'
import { type Entry, findByReference, findLast, findOrderById } from '../journal/orders/entries.ts'
import { isHolding, isNeverCreated } from '../journal/orders/standings.ts'
import type { Suggest } from '../text/suggest.ts'
import type { NamedOrder } from './read.ts'
import type { Session } from './session.ts'

type JournalAccess = Pick<Session, 'owner' | 'journal'>

/** The argument that selects the order with this reference. */
export const formatReference = (reference: string): string => `${referencePrefix}${reference}`

/** Newest first. A batch may have none. */
export const findEntries = async (access: JournalAccess, text: string): Promise<Entry[]> => {
  const {
    owner,
    journal: { read },
  } = access
  const here = `in this journal for the profile ${owner.profile}`
  if (namesBatch(text)) {
    const name = text.slice(batchPrefix.length)
    const ofBatch = await findByBatch(read, owner, name)
    if (ofBatch !== undefined) return ofBatch
    throw new Failure('no-batch', `no batch '${name}' ${here}`, { fix: (suggest) => suggest`batch list` })
  }
  const reference = text.startsWith(referencePrefix) ? text.slice(referencePrefix.length) : undefined
  const findOne = () => (text === lastWord ? findLast(read, owner.account) : findOrderById(read, owner, text))
  const found =
    reference === undefined
      ? [await findOne()].filter((entry) => entry !== undefined)
      : await findByReference(read, owner, reference)
  if (found.length > 0) return found
  const named = reference === undefined ? `no order '${text}'` : `no order with reference '${reference}'`
  const isReference = !needsJournal(text) && (await findByReference(read, owner, text)).length > 0
  throw new Failure('not-found', `${text === lastWord ? 'you placed no orders' : named} ${here}`, {
    ...(isReference
      ? {
          advice: (suggest: Suggest) => `To use its reference: ${suggest.quote(formatReference(text))}`,
        }
      : { fix: (suggest: Suggest) => suggest`list` }),
  })
}

/** Without attempts that a later order of the batch has replaced. The oldest first. */
const findOrdersOfBatch = async (access: JournalAccess, text: string): Promise<NamedOrder[]> => {
  const placed = (await findEntries(access, text)).filter(isHolding)
  const named = placed.flatMap((entry) =>
    entry.orderId === undefined ? [] : [{ orderId: entry.orderId, entry }],
  )
  if (named.length > 0) return named.toReversed()
  const name = text.slice(batchPrefix.length)
  throw new Failure('usage', `the batch ${name} has no orders`, {
    fix: (suggest) => suggest`batch show ${name}`,
  })
}

/** A batch stands for all its orders. */
export const findOrders = async (access: JournalAccess, text: string): Promise<readonly NamedOrder[]> =>
  namesBatch(text) ? findOrdersOfBatch(access, text) : [await findOrder(access, text)]

/** An id need not be in the journal. */
export const findOrder = async (access: JournalAccess, text: string): Promise<NamedOrder> => {
  if (namesBatch(text)) {
    const [only, ...others] = await findOrdersOfBatch(access, text)
    if (only !== undefined && others.length === 0) return only
    throw new Failure('ambiguous', `${text} has ${others.length + 1} orders, but this command takes one`, {
      fix: (suggest) => suggest`list ${{ batch: text.slice(batchPrefix.length) }}`,
    })
  }
  if (!needsJournal(text)) return { orderId: text }
  const all = await findEntries(access, text)
  const live = all.filter(
    (entry) => isHolding(entry) && entry.result !== 'failed' && entry.result !== 'rejected',
  )
  const meant = live.length > 0 ? live : all
  const ids = new Set(meant.map(({ orderId }) => orderId))
  if (ids.size > 1) {
    const listed = meant.map(({ orderId, state }) => `${orderId ?? 'no id'} (${state})`)
    throw new Failure('ambiguous', `${text} matches ${ids.size} orders: ${listed.join(', ')}`, {
      advice: 'Give the id of one order.',
      quotes: [...ids].filter((id) => id !== undefined),
    })
  }
  const [entry] = meant
  const { orderId, standing, voidReason } = entry ?? {}
  if (standing === 'void' && voidReason === 'stranger') {
    throw new Failure(
      'stranger',
      `the order id of ${text} is unknown, because the service showed a different order under the id from create`,
      {
        advice: 'Nothing was spent. Run create again.',
      },
    )
  }
  if (orderId !== undefined) return { orderId, entry }
  throw new Failure('usage', `the order id of ${text} is unknown, because the response to create was lost`, {
    fix: (suggest) => suggest`list`,
    advice: 'Nothing was spent. Run create again, or choose a different order.',
  })
}

/** For a command that spends without a prompt, so no one sees which order it is. */
export const findOrderToSpend = async (access: JournalAccess, text: string): Promise<NamedOrder> => {
  const { journal, owner } = access
  const last =
    text === lastWord ? await findLast(journal.read, owner.account, { isAttempt: true }) : undefined
  // After an attempt that created no order, `@last` is an older one: spending could buy the wrong order.
  if (last !== undefined && isNeverCreated(last)) {
    const problem = `the last order (reference ${last.reference ?? ''}) was never created: ${last.state}`
    throw new Failure('usage', problem, { fix: (suggest) => suggest`list`, advice: 'Give an order id.' })
  }
  const named = await findOrder(access, text)
  const { orderId, entry } = named
  // An assistant may have used the reference before the script did, with other products.
  if (entry?.placedWith === undefined || entry.standing === 'confirmed') return named
  const problem = `${text} is the order ${orderId}, which an assistant prepared; nothing was sent`
  throw new Failure('order-of-assistant', problem, {
    orderId,
    fix: (suggest) => suggest`get ${orderId}`,
    advice: 'Read the order, then use its id.',
  })
}
