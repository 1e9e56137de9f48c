// Converts an entry of the journal to JSON.
import { parseDecimal } from '../../../contract/money/decimal.ts'
import { parseProducts } from '../../../contract/ordered-products.ts'
import { hideHash } from '../../../contract/state-words.ts'
import { type FindActor, findActors } from '../../../journal/actors.ts'
import { findBatchNames } from '../../../journal/batches/batch-names.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { Entry } from '../../../journal/orders/entry.ts'
import { isStale } from '../../../journal/orders/observations.ts'
import { readRequestedProducts } from '../../../operations/compare.ts'
import { viewOrder } from '../../../operations/view.ts'
import { isWrittenByOther } from '../../../text/actor-name.ts'

/** Null for a time beyond the calendar: a service may send a very large number for 'never'. */
export const isoTime = (ms: number): string | null => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** What the numbers in entries refer to. */
export type EntryNames = {
  readonly batches: ReadonlyMap<number, string>
  readonly findActor: FindActor
}

export const findEntryNames = async (journal: Journal, entries: readonly Entry[]): Promise<EntryNames> => {
  const [batches, findActor] = await Promise.all([
    findBatchNames(journal.read, entries),
    findActors(journal.read, entries),
  ])
  return { batches, findActor }
}

/** Whether another role wrote one of the entries for its actor. */
export const hasForeignWriter = (entries: readonly Entry[], findActor: FindActor): boolean =>
  entries.some((entry) => {
    const actor = findActor(entry)
    return actor !== undefined && isWrittenByOther(actor)
  })

/** The products of an order that was created elsewhere, as the service showed them. */
const readShownProducts = ({ products }: Entry) =>
  parseProducts(products ?? '')?.map(({ sku, productType, quote, ordered }) => ({
    sku,
    productType,
    quote: parseDecimal(quote) ?? null,
    quantity: ordered,
  }))

export const entryData = (entry: Entry, { batches, findActor }: EntryNames, now: number) => {
  const { money, progress } = viewOrder({ entry, calls: [] }, undefined, {
    now,
    serviceNow: undefined,
    wants: 'shown',
  })
  const { orderId, reference, state, profile, origin, wallet, total, expiresAt, batch } = entry
  return {
    orderId: orderId ?? null,
    reference: reference ?? null,
    state,
    money,
    progress,
    standing: entry.standing,
    serviceState: entry.serviceState === undefined ? null : hideHash(entry.serviceState),
    result: entry.result ?? null,
    profile,
    origin,
    wallet: wallet ?? null,
    total: total === undefined ? null : (parseDecimal(total) ?? null),
    products: readRequestedProducts(entry) ?? readShownProducts(entry) ?? null,
    placedAt: isoTime(entry.placedAt),
    changedAt: isoTime(entry.changedAt),
    expiresAt: expiresAt === undefined ? null : isoTime(expiresAt),
    batch: batch === undefined ? null : (batches.get(batch) ?? null),
    by: findActor(entry) ?? null,
    placedWith: entry.placedWith ?? null,
    stale: isStale(entry, now),
  }
}
