// Operations on a journal with a batch in it, for the tests of the batch tables.

import { getAccountId } from '../../../src/contract/account-id.ts'
import { toMillionths } from '../../../src/contract/money/decimal.ts'
import type { Access } from '../../../src/journal/access.ts'
import * as batchTable from '../../../src/journal/batches/batches.ts'
import { type Batch, formatLines, type NewBatch, saveBatch } from '../../../src/journal/batches/batches.ts'
import * as cards from '../../../src/journal/batches/cards.ts'
import type { Grouping } from '../../../src/journal/batches/slots.ts'
import * as slotCards from '../../../src/journal/batches/slots.ts'
import * as slots from '../../../src/journal/batches/slots.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import type { CreateEnd } from '../../../src/journal/orders/apply.ts'
import type { ConfirmIntent, CreateIntent } from '../../../src/journal/orders/calls.ts'
import { bindTo } from '../journals.ts'
import { callsOf } from '../order-desk.ts'

export const createOwner = (name?: string) => ({
  ...{ profile: name ?? 'shop', origin: 'https://orders.example' },
  account: getAccountId('https://orders.example', name),
})
export const owner = createOwner()

type Row = NewBatch['rows'] extends Iterable<infer Each> ? Each : never

export const createRow = (sku: string, quantity: number, fields: Partial<Row> = {}): Row => ({
  ...{ line: 2, sku, productType: 'fixed', quote: '25', quantity, cells: [] },
  ...fields,
})

export const holdMs = { create: 60_000, confirm: 140_000 }

/** Slot 1 wants two GAME-US and slot 2 one GAME-US and one COFFEE. */
const createPlan = (fields: Partial<NewBatch> = {}): NewBatch => ({
  ...owner,
  ...{ id: 'bat_0123456789abcdef', demand: 'demand', name: 'gifts', wallet: 'USD', at: 100 },
  columns: ['name'],
  rows: [createRow('GAME-US', 3, { cells: ['Ada'] }), createRow('COFFEE', 1, { line: 3, quote: '2.5' })],
  ...{ lastSlot: 2, slotOf: (card) => (card < 2 ? 1 : 2) },
  ...fields,
})

/** A create of the products that the slot wants. */
const readRequest = async (access: Access, batch: number, slot: number): Promise<string> => {
  const products = (await slots.readLines(access, batch, slot)).map(
    ({ sku, productType, quote, quantity }) =>
      `{"sku":"${sku}","productType":"${productType}","quote":${quote},"quantity":${quantity}}`,
  )
  return `{"productList":[${products}]}`
}

/** The functions of the tables of batches. */
const bindBatches = (journal: Journal) =>
  bindTo(journal, { ...batchTable, ...cards, ...slotCards, ...slots, saveBatch, readRequest })

export type BatchDesk = ReturnType<typeof createBatchDesk>

export const createBatchDesk = (journal: Journal) => {
  const batches = bindBatches(journal)
  const createClaim = async (slot: number, batch = 1) => ({
    ...{ batch, slot, holdMs },
    lines: formatLines(await batches.readLines(batch, slot)),
  })

  let created = 0
  /** Begins to create an order of the products that the slot wants. */
  const beginCreate = async (slot: number, fields: Partial<CreateIntent> = {}) => {
    created += 1
    const claim = fields.claim ?? (await createClaim(slot))
    const request = await batches.readRequest(claim.batch, slot)
    return callsOf(journal).beginCreate({
      ...owner,
      ...{ wallet: 'USD', allowDuplicate: false, at: 1_000, until: 46_000 },
      ...{ reference: `gifts-${slot}-${created}`, request },
      ...fields,
      claim,
    })
  }

  const start = async (slot: number, fields: Partial<CreateIntent> = {}) => {
    const begun = await beginCreate(slot, fields)
    if (begun.kind !== 'started') throw new Error(begun.kind)
    return begun
  }

  const createResponse = (orderId: string, total = '25'): CreateEnd => ({
    outcome: 'done',
    ...{ orderId, total, createdAt: 1_050, expiresAt: 601_000 },
  })

  const place = async (
    slot: number,
    orderId: string,
    { total, ...fields }: Partial<CreateIntent> & { total?: string } = {},
  ) => {
    const begun = await start(slot, fields)
    await callsOf(journal).endCreate(begun, createResponse(orderId, total), 1_100)
    return begun
  }

  const beginConfirm = (orderId: string, fields: Partial<ConfirmIntent> = {}) =>
    callsOf(journal).beginConfirm({
      ...owner,
      ...{ orderId, reference: `of ${orderId}`, wallet: 'USD', total: '25', allowDuplicate: false },
      ...{ at: 2_000, until: 47_000, counts: toMillionths(fields.total ?? '25') ?? 0n },
      ...fields,
    })

  const confirm = async (orderId: string, fields: Partial<ConfirmIntent> = {}) => {
    const begun = await beginConfirm(orderId, fields)
    if (begun.kind !== 'started') throw new Error(begun.kind)
    return begun
  }

  const countCards = async () => {
    const { wanted, delivered, failed, cancelled } = await batches.countCardsByState(1)
    return [wanted, delivered, failed, cancelled]
  }

  return {
    ...{ journal, batches, createClaim, beginCreate, start, createResponse, place, beginConfirm, confirm },
    countCards,
    split: (slot: number, at: number, group: Grouping, batch = 1) =>
      journal.write((access) => slots.splitSlot(access, { batch, slot, group }, at)),
    /** Consents to the cap of the batch. */
    allow: async (cap: string, batch = 1) =>
      batches.recordStart((await batches.getBatch(batch)) as Batch, { maxTotal: cap, at: 200 }),
    /** Most tests are not about the cap, so it is high. */
    save: async (fields: Partial<NewBatch> = {}, replacesPlan = false) => {
      const saved = await batches.saveBatch(createPlan(fields), replacesPlan)
      const sql = "UPDATE batches SET max_total = '1000000' WHERE max_total IS NULL AND started_at IS NULL"
      await journal.write(({ run }) => run(sql))
      return saved
    },
  }
}
