// The steps of a script (../script.ts) for batches. `slot=1`, and `batch=2`, are the claim of a create or confirm.
//
// `save NAME` saves the batch of batch-desk.ts, or the one with `rows=GAME-US:2,RIDE:9` and `per=2` cards in each slot.

import type { Batch, Claim, NewBatch } from '../../../src/journal/batches/batches.ts'
import {
  type CardChange,
  findOpenSlots,
  type Grouping,
  hasSlotsLeft,
  holdOrder,
  listBuyers,
  releaseOrders,
  type WantedCard,
} from '../../../src/journal/batches/slots.ts'
import { readCommitted } from '../../../src/journal/limits.ts'
import { findOrderById } from '../../../src/journal/orders/entries.ts'
import type { Step, Verbs } from '../../support/steps.ts'
import { type JournalKind, journalKinds, type SharedJournal } from '../journals.ts'
import { type Begun, createOrderVerbs, describeStanding, formatCommitted, testScripts } from '../script.ts'
import { createBatchDesk, createOwner, createRow, owner } from './batch-desk.ts'

const eachAlone: Grouping = (cards) => cards.map((_, index) => index)
const bySku: Grouping = (cards) => {
  const skus = [...new Set(cards.map(({ sku }) => sku))]
  return cards.map(({ sku }) => skus.indexOf(sku))
}

const readPlan = ({ words: [name], fields }: Step): Partial<NewBatch> => {
  const { rows, per, account, at, address, ...texts } = fields
  const products = rows?.split(',').map((row) => row.split(':'))
  return {
    ...texts,
    ...(name && { name }),
    ...(account && createOwner(account)),
    ...(address && { account: { address } }),
    ...(at && { at: Number(at) }),
    ...(products && { rows: products.map(([sku = '', quantity]) => createRow(sku, Number(quantity))) }),
    ...(per && { slotOf: (card: number) => Math.floor(card / Number(per)) + 1 }),
  }
}

const readSlots = (text: string): number[] => text.split(',').filter(Boolean).map(Number)

export const createBatchVerbs = (shared: SharedJournal, begun?: Begun): Verbs => {
  const { journal } = shared
  const { batches, save, createClaim, split } = createBatchDesk(journal)
  const claims = new Map<string, Claim>()
  const numberOf = ({ fields: { batch = '1' } }: Step): number => Number(batch)
  const find = async (step: Step): Promise<Batch> => (await batches.getBatch(numberOf(step))) as Batch
  let created = 0
  /** The products of a slot, and the claim of them. */
  const readClaim = async (step: Step) => {
    const { slot, claim: label = '' } = step.fields
    if (slot === undefined && label === '') return {}
    created += 1
    const known = claims.get(label)
    const claim = known ?? (await createClaim(Number(slot), numberOf(step)))
    return {
      claim: slot === undefined ? claim : { ...claim, slot: Number(slot) },
      reference: `gifts-${slot ?? claim.slot}-${created}`,
      request: step.fields.request ?? (await batches.readRequest(claim.batch, claim.slot)),
    }
  }
  /** Changes the cards with these numbers. */
  const change = async (step: Step, state: (card: WantedCard) => Omit<CardChange, 'card'>) => {
    for (const card of step.words.map(Number)) {
      const slot = (await batches.listBatchCards(numberOf(step)))[card]?.slot ?? 0
      await batches.changeSlotCards(numberOf(step), slot, async (cards) =>
        cards.filter((each) => each.card === card).map((each) => ({ card, ...state(each) })),
      )
    }
  }
  const saved = async (step: Step, replaces: boolean) => {
    const { batch, isNew, hasCancelled } = await save(readPlan(step), replaces)
    return `${isNew ? '' : 'is '}${isNew ? '' : batch.name}${hasCancelled ? 'cancels the old one' : ''}`
  }
  const listNames = (found: readonly Batch[]): string =>
    found.map(({ name, number }) => (number === 1 ? name : `${name} ${number}`)).join(', ')
  return {
    ...createOrderVerbs(shared, begun, readClaim),
    save: (step) => saved(step, false),
    replace: (step) => saved(step, true),
    start: async (step) => {
      const { cap = '1000000', at = '200' } = step.fields
      const start = { maxTotal: cap, at: Number(at) }
      return (await batches.recordStart(await find(step), start)) ? '' : 'not started'
    },
    stop: async (step) => void (await batches.recordStop(numberOf(step), step.words[0] as 'funds', 300)),
    cancel: async (step) =>
      void (await batches.recordCancel(numberOf(step), Number(step.fields.at ?? '400'))),
    drop: (step) => batches.cancelWanted(numberOf(step)),
    /** Keeps the claim of a slot as it is now. */
    claim: async (step) =>
      void claims.set(step.label, await createClaim(Number(step.words[0]), numberOf(step))),
    deliver: (step) => change(step, ({ card }) => ({ state: 'delivered', hash: `hash ${card}` })),
    fail: (step) => change(step, () => ({ state: 'failed', error: 'sold out' })),
    /** Gives up the cards of a slot, or those with one SKU. */
    giveup: (step) => {
      const [slot, wanted] = step.words
      const of = { batch: numberOf(step), slot: Number(slot), at: 5_000 }
      return batches.failCards(of, ({ sku }) => sku === (wanted ?? sku), 'not found')
    },
    split: ({ words: [slot, how], fields: { at = '5000' } }) =>
      split(Number(slot), Number(at), how === 'by-sku' ? bySku : eachAlone),
    /** `seen`: how many cards each order has delivered. Without it, as the journal has them. */
    retry: async (step) => {
      const orders = (await batches.listBatchOrders(numberOf(step))).map(
        ({ number, delivered }) => [number, delivered] as const,
      )
      const seen = step.fields.seen?.split(',').map((text) => text.split(':').map(Number) as [number, number])
      const count = await batches.retryFailed(numberOf(step), bySku, new Map(seen ?? orders))
      return count ?? 'other cards'
    },
    /** The slot and the state of each card. */
    cards: async (step) =>
      (await batches.listBatchCards(numberOf(step))).map(({ slot, state }) => `${slot} ${state}`).join(', '),
    slots: async () => (await batches.listBatchCards(1)).map(({ slot }) => slot).join(' '),
    /** The slots that want cards. */
    open: async (step) => {
      const wanted = (await batches.listBatchCards(numberOf(step))).filter(({ state }) => state === 'wanted')
      return [...new Set(wanted.map(({ slot }) => slot))].join(' ')
    },
    /** The orders of a slot, the newest first. */
    bought: async ({ words: [slot], fields: { batch = '1' } }) =>
      (await batches.listSlotOrders(Number(batch), Number(slot)))
        .map((order) => `${order.reference} ${describeStanding(order)}`)
        .join(', '),
    /** The slots that a run may work on. */
    free: async ({ words: [leavesOut = 'all'], fields: { count = '9', from, except = '' } }) => {
      const wanted = {
        count: Number(count),
        ...(from && { from: Number(from) }),
        leavesOut: leavesOut as 'all',
      }
      return (await findOpenSlots(journal.read, 1, { ...wanted, except: readSlots(except) })).join(' ')
    },
    left: async ({ fields: { except = '' } }) => hasSlotsLeft(journal.read, 1, readSlots(except)),
    hold: async ({ words: [orderId] }) => {
      const { number = 0 } = (await findOrderById(journal.read, owner, orderId ?? '')) ?? {}
      return (await journal.write((access) => holdOrder(access, number, 60_000))) ? '' : 'refused'
    },
    release: async ({ words: [orderId] }) => {
      const { number = 0 } = (await findOrderById(journal.read, owner, orderId ?? '')) ?? {}
      await journal.write((access) => releaseOrders(access, [number]))
    },
    buyers: async () =>
      (await listBuyers(journal.read, 1))
        .map(({ buying, waiting, seenAt, until = 0 }) => {
          const here = until > Date.now() ? 'running' : 'gone'
          return `${here}: buying ${buying}, waiting ${waiting}, seen at ${seenAt}`
        })
        .join('; '),
    committed: async (step) => formatCommitted(await readCommitted(journal.read, numberOf(step))),
    count: async (step) => {
      const { rows, slots, ended, unknown } = {
        ...{ rows: batches.countRows, slots: batches.countSlots, ended: batches.countEndedSlots },
        unknown: (batch: number) => batches.countUnknownCards(batch, Number(step.fields.now) || undefined),
      }
      const counts = { rows, slots, ended, unknown }
      return counts[step.words[0] as keyof typeof counts](numberOf(step))
    },
    /** Its name and times. */
    batch: async (step) => {
      const batch = await batches.getBatch(numberOf(step))
      if (batch === undefined) return 'gone'
      const { name, maxTotal, plannedAt, startedAt, stopped, cancelledAt, changedAt, lastSlot } = batch
      return Object.entries({
        name,
        maxTotal,
        plannedAt,
        startedAt,
        stopped,
        cancelledAt,
        changedAt,
        lastSlot,
      })
        .filter(([, value]) => value !== undefined)
        .map(([field, value]) => (field === 'name' ? value : `${field} ${value}`))
        .join(', ')
    },
    find: async ({ words: [text = ''], fields: { account } }) =>
      listNames(await batches.findBatches(createOwner(account).account, text)),
    anywhere: async ({ words: [text = ''] }) => listNames(await batches.findBatchesOnAnyAccount(text)),
    same: async (step) =>
      listNames(await batches.findSameDemand(await find(step), Number(step.fields.since ?? '0'))),
    list: async ({ fields: { profile, limit = '9' } }) =>
      listNames(await batches.listNewestBatches({ limit: Number(limit), ...(profile && { profile }) })),
  }
}

export const testBatchScripts = (texts: string, kinds: readonly JournalKind[] = journalKinds): void =>
  testScripts(kinds, texts, (shared) => createBatchVerbs(shared))
