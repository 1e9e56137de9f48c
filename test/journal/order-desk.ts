// Operations on the orders of a journal, for the tests of the journal.
import { getAccountId } from '../../src/contract/account-id.ts'
import { toMillionths } from '../../src/contract/money/decimal.ts'
import { isPastPending } from '../../src/contract/states.ts'
import { dayMs } from '../../src/contract/time.ts'
import type { Journal } from '../../src/journal/journal.ts'
import type { ConfirmEnd, CreateEnd, Fact, OrderUpdate } from '../../src/journal/orders/apply.ts'
import {
  beginConfirm,
  beginCreate,
  type ConfirmIntent,
  type CreateIntent,
  endCreate,
} from '../../src/journal/orders/calls.ts'
import type { StartedCall } from '../../src/journal/orders/entries.ts'
import * as queries from '../../src/journal/orders/entries.ts'
import * as lists from '../../src/journal/orders/list-orders.ts'
import * as reveals from '../../src/journal/orders/seen-cards.ts'
import { recordDecision, recordFact } from '../../src/journal/orders/write-order.ts'
import { deleteOrders } from '../../src/journal/tables/list.ts'
import { bindTo } from './journals.ts'

export const accountAt = (origin: string) => ({ origin, account: getAccountId(origin) })
export const owner = { profile: 'shop', ...accountAt('https://orders.example') }
export const intent = (fields: Partial<CreateIntent> = {}): CreateIntent => ({
  ...owner,
  reference: 'r',
  request: '{"productList":[]}',
  wallet: 'USD',
  allowDuplicate: false,
  at: 1_000,
  until: 46_000,
  ...fields,
})
export const confirmIntent = (orderId: string, fields: Partial<ConfirmIntent> = {}): ConfirmIntent => ({
  ...owner,
  ...{ orderId, reference: 'r', wallet: 'USD', total: '25', at: 2_000, until: 47_000 },
  counts: toMillionths(fields.total ?? '25') ?? 0n,
  allowDuplicate: false,
  ...fields,
})
export const done = (orderId = 'o1'): CreateEnd => ({
  outcome: 'done',
  ...{ orderId, total: '25', createdAt: 1_050, expiresAt: 601_000 },
})

/** What a response in this state says, without codes. */
export const update = (state: string, fields: Partial<OrderUpdate> = {}): OrderUpdate => ({
  ...{ state, isPaid: isPastPending(state), at: 3_000 },
  ...fields,
})

/** Two responses, days after the expiry, that prove that none of these confirms spent anything. */
export const checks = (confirms: number, at = 0): Fact[] =>
  [0, 10].map((minutes) => {
    const time = 10 * dayMs + at + minutes * 60_000
    return {
      ...{ kind: 'checked', state: 'created', hasCodes: false, isOld: false },
      ...{ confirms, serviceTime: time, at: time },
    }
  })

/** The functions that record a call, for one journal. */
export const callsOf = (journal: Journal) => ({
  ...bindTo(journal, { beginCreate, endCreate, beginConfirm }),
  endConfirm: (begun: StartedCall, end: ConfirmEnd, at: number) =>
    journal.end(begun, { kind: 'confirm-ended', call: begun.call, at, ...end }),
})

/** The functions of the journal, and some that combine them. */
export const createOrderDesk = (journal: Journal) => {
  const calls = callsOf(journal)
  const functions = bindTo(journal, {
    ...queries,
    ...lists,
    ...reveals,
    recordDecision,
    recordFact,
    deleteOrders,
  })
  const begin = async (fields: Partial<CreateIntent> = {}) => {
    const begun = await calls.beginCreate(intent(fields))
    if (begun.kind !== 'started') throw new Error(begun.kind)
    return begun
  }
  const beginConfirm = async (orderId: string, fields: Partial<ConfirmIntent> = {}) => {
    const begun = await calls.beginConfirm(confirmIntent(orderId, fields))
    if (begun.kind !== 'started') throw new Error(begun.kind)
    return begun
  }
  return {
    ...journal,
    ...{ ...calls, ...functions, findOrder: functions.findOrderById },
    begin,
    placed: async (orderId = 'o1', fields: Partial<CreateIntent> = {}) => {
      const begun = await begin(fields)
      await calls.endCreate(begun, done(orderId), 1_100)
      return begun
    },
    toConfirm: beginConfirm,
    confirmed: async (orderId: string, end: ConfirmEnd) =>
      calls.endConfirm(await beginConfirm(orderId), end, 2_100),
    recordOrder: (number: number, shown: OrderUpdate) =>
      functions.recordFact(number, { kind: 'seen', ...shown }),
    note: async (orderId: string, state: string, at: number) => {
      const entry = await functions.findOrderById(owner, orderId)
      if (entry !== undefined)
        await functions.recordFact(entry.number, { kind: 'seen', ...update(state, { at }) })
    },
    expire: async (number: number, confirms: number) => {
      for (const check of checks(confirms)) await functions.recordFact(number, check)
    },
    getState: async (orderId: string) => (await functions.findOrderById(owner, orderId))?.state,
  }
}
