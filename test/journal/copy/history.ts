// A random history of the journals of one account, and a service that knows which orders were paid.

import type { Journal } from '../../../src/journal/journal.ts'
import type { ConfirmStart, CreateStart, StartedCall } from '../../../src/journal/orders/calls.ts'
import { type Entry, isUnproven } from '../../../src/journal/orders/entry.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import {
  recordDecision,
  recordExpiry,
  recordLost,
  recordOrder,
  recordUnconfirmed,
} from '../../../src/journal/orders/observations.ts'
import { listCalls } from '../../../src/journal/orders/queries.ts'
import { isHolding, isUnprovenOrder } from '../../../src/journal/orders/standings.ts'
import { confirmIntent, intent, update } from '../order-desk.ts'

const actions = [
  'create',
  'create',
  'response',
  'response',
  'confirm',
  'confirm',
  'confirmById',
  'answerConfirm',
] as const
const later = ['answerConfirm', 'observe', 'expire', 'decide', 'unconfirmed', 'lose'] as const
export const steps = [...actions, ...later]

/** An action, and two numbers that choose among its possibilities. */
export type Step = readonly [action: (typeof steps)[number], one: number, other: number]

type ServiceOrder = {
  readonly orderId: string
  readonly reference: string
  isPaid: boolean
  canBePaid: boolean
}

const pick = <Value>(values: readonly Value[], index: number): Value | undefined =>
  values[index % Math.max(1, values.length)]

export const createService = () => {
  const orders: ServiceOrder[] = []
  let now = 1_000
  return {
    orders,
    time: () => (now += 7),
    create: (reference: string): ServiceOrder => {
      const order = { orderId: `o${orders.length}`, reference, isPaid: false, canBePaid: true }
      orders.push(order)
      return order
    },
    find: (orderId: string | undefined) => orders.find((order) => order.orderId === orderId),
  }
}

export type Service = ReturnType<typeof createService>

/** One machine with its own journal. Only the process that made a call gets its response. */
export const createMachine = (journal: Journal, { orders, time, create, find }: Service) => {
  const creates: { readonly begun: StartedCall; readonly reference: string }[] = []
  const confirms: { readonly begun: StartedCall; readonly orderId: string }[] = []
  const until = (at: number) => ({ at, until: at + 45_000 })
  const listAll = (): Promise<Entry[]> => listOrders(journal.read, { limit: 1_000 })
  const pickOrder = async (index: number) => pick(await listAll(), index)

  const beginCreate = async (reference: string): Promise<CreateStart> => {
    const begun = await journal.calls.beginCreate(intent({ ...until(time()), reference }))
    if (begun.kind === 'started') creates.push({ begun, reference })
    return begun
  }
  const beginConfirm = async ({ orderId, reference }: ServiceOrder): Promise<ConfirmStart> => {
    const begun = await journal.calls.beginConfirm(confirmIntent(orderId, { ...until(time()), reference }))
    if (begun.kind === 'started') confirms.push({ begun, orderId })
    return begun
  }
  /** A person or a proof settles it, and is right. */
  const settle = async (order: Entry, isDecision: boolean): Promise<void> => {
    const known = find(order.orderId)
    if (known === undefined || order.standing === 'confirmed' || order.standing === 'void') return
    if (!known.isPaid) known.canBePaid = false
    const at = time()
    if (isDecision) {
      const decision = { isSpent: known.isPaid, by: 'ana', reason: 'asked', at }
      await recordDecision(journal, order, decision, () => 0)
    } else if (known.isPaid) await recordOrder(journal, order.number, update('processing', { at }))
    else
      await recordExpiry(journal, order, (await listCalls(journal.read, order.number)).filter(isUnproven), at)
  }

  const work: Record<Step[0], (one: number, other: number) => Promise<unknown>> = {
    create: (one) => beginCreate(`ref-${one % 4}`),
    response: async (one, other) => {
      const [call] = creates.splice(one % Math.max(1, creates.length), 1)
      if (call === undefined) return
      const { orderId } = other % 4 < 3 ? create(call.reference) : { orderId: undefined }
      const facts = { total: '25', createdAt: time(), expiresAt: time() }
      const failures = ['refused', 'not-sent', 'unknown'] as const
      await journal.calls.endCreate(
        call.begun,
        orderId === undefined
          ? { outcome: pick(failures, one) ?? 'unknown' }
          : { outcome: 'done', orderId, ...facts },
        time(),
      )
    },
    confirm: async (one) => {
      const order = find((await pickOrder(one))?.orderId)
      if (order !== undefined) await beginConfirm(order)
    },
    confirmById: async (one) => {
      const order = pick(orders, one)
      if (order !== undefined) await beginConfirm(order)
    },
    answerConfirm: async (one, other) => {
      const [call] = confirms.splice(one % Math.max(1, confirms.length), 1)
      const order = find(call?.orderId)
      if (call === undefined || order === undefined) return
      const takesEffect = order.canBePaid && !order.isPaid && other % 3 > 0
      if (takesEffect) order.isPaid = true
      const outcomes = takesEffect
        ? (['done', 'done', 'unknown', 'refused'] as const)
        : (['refused', 'unknown', 'not-sent'] as const)
      await journal.calls.endConfirm(call.begun, { outcome: pick(outcomes, one) ?? 'unknown' }, time())
    },
    observe: async (one) => {
      const entry = await pickOrder(one)
      const order = find(entry?.orderId)
      if (entry === undefined || order === undefined) return
      const state = order.isPaid ? 'processing' : 'created'
      await recordOrder(journal, entry.number, update(state, { at: time(), total: '25' }))
    },
    expire: async (one) => {
      const order = await pickOrder(one)
      if (order !== undefined) await settle(order, false)
    },
    decide: async (one) => {
      const order = await pickOrder(one)
      if (order !== undefined) await settle(order, true)
    },
    unconfirmed: async (one) => {
      const order = await pickOrder(one)
      if (order !== undefined) await recordUnconfirmed(journal, order, time(), time())
    },
    lose: async (one) => {
      const order = await pickOrder(one)
      if (order !== undefined) await recordLost(journal, order, time())
    },
  }

  return {
    journal,
    listOrders: listAll,
    live: async (steps: readonly Step[]): Promise<void> => {
      for (const [action, one, other] of steps) await work[action](one, other)
    },
    hasUnproven: async (): Promise<boolean> => (await listAll()).some(isUnprovenOrder),
    settleAll: async (): Promise<void> => {
      for (const order of await listAll())
        if (isUnprovenOrder(order)) await settle(order, order.number % 2 > 0)
    },
    /** Returns the orders that it could buy now: none of them is bought. */
    tryToBuy: async (): Promise<string[]> => {
      const bought: string[] = []
      for (const order of orders) {
        const begun = await beginConfirm(order)
        if (begun.kind !== 'started') continue
        confirms.pop()
        await journal.calls.endConfirm(begun, { outcome: 'not-sent' }, time())
        bought.push(order.orderId)
      }
      for (const reference of new Set(orders.map((order) => order.reference))) {
        const begun = await beginCreate(reference)
        if (begun.kind !== 'started') continue
        creates.pop()
        await journal.calls.endCreate(begun, { outcome: 'not-sent' }, time())
        bought.push(reference)
      }
      return bought
    },
    holders: async () => (await listAll()).filter(isHolding),
  }
}

export type Machine = ReturnType<typeof createMachine>
