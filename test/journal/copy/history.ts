// A random history of a journal: orders, calls, reveals and batches.
import { formatLines } from '../../../src/journal/batches/batch.ts'
import { openBatches } from '../../../src/journal/batches/open-batches.ts'
import type { ConfirmStart, CreateStart } from '../../../src/journal/calls.ts'
import { type Entry, isOpen, isUnproven } from '../../../src/journal/entry.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { createBatchDesk } from '../batches/batch-desk.ts'
import { confirmIntent, intent, owner } from '../order-desk.ts'

export const actions = [
  ...['create', 'create', 'answer', 'answer', 'confirm', 'confirm', 'answerConfirm', 'observe', 'observe'],
  ...['expire', 'decide', 'unconfirmed', 'reveal', 'plan', 'start', 'buy', 'deliver', 'fail', 'cancel'],
] as const

/** An action, and two numbers that choose among its possibilities. */
export type Step = readonly [action: (typeof actions)[number], one: number, other: number]

const pick = <Value>(values: readonly Value[], index: number): Value | undefined =>
  values[index % Math.max(1, values.length)]

const states = ['created', 'confirmed', 'processing', 'failed', 'partial', 'successful', 'under-review']

/** `name` occurs in its ids. `time` returns a later time at each call. */
export const createHistory = (journal: Journal, name: string, time: () => number) => {
  const batches = openBatches(journal)
  const { save } = createBatchDesk(journal)
  let count = 0
  // Only the process that made a call gets its answer.
  const ownCalls = new Set<number>()
  const keep = (begun: CreateStart | ConfirmStart): void => {
    if (begun.kind === 'started') ownCalls.add(begun.call)
  }

  const listOrders = (): Promise<Entry[]> => journal.listOrders({ limit: 1_000 })
  const pickOrder = async (one: number) => pick((await listOrders()).toReversed(), one)
  const pickBatch = async (one: number) =>
    pick((await batches.listBatches({ limit: 1_000 })).toReversed(), one)
  const until = (at: number) => ({ at, until: at + 45_000 })
  const findCall = async ({ number }: Entry, operation: string) =>
    (await journal.listCalls(number)).find(
      (call) =>
        call.operation === operation &&
        call.outcome === 'sending' &&
        isOpen(call) &&
        ownCalls.has(call.number),
    )

  const confirm = async (order: Entry | undefined, other: number) => {
    if (order?.orderId === undefined) return
    const { orderId, reference = 'r' } = order
    const allowDuplicate = other % 2 === 0
    const given = { ...until(time()), reference, allowDuplicate }
    keep(await journal.beginConfirm(confirmIntent(orderId, given)))
  }

  const work: Record<Step[0], (one: number, other: number) => Promise<unknown>> = {
    create: async (one, other) =>
      keep(
        await journal.beginCreate(
          intent({ ...until(time()), reference: `ref-${one % 5}`, allowDuplicate: other % 2 === 0 }),
        ),
      ),
    answer: async (one, other) => {
      const order = await pickOrder(one)
      const call = order && (await findCall(order, 'create'))
      if (order === undefined || call === undefined) return
      const begun = { kind: 'started', order: order.number, call: call.number } as const
      const facts = { orderId: `${name}-${count++}`, total: '25', createdAt: time(), expiresAt: time() }
      const ends = [
        ...([
          { outcome: 'done', ...facts },
          { outcome: 'done', ...facts },
        ] as const),
        ...([{ outcome: 'refused', status: 400 }, { outcome: 'not-sent' }, { outcome: 'unknown' }] as const),
      ]
      await journal.endCreate(begun, pick(ends, other) ?? { outcome: 'unknown' }, time())
    },
    confirm: async (one, other) => confirm(await pickOrder(one), other),
    answerConfirm: async (one, other) => {
      const order = await pickOrder(one)
      const call = order && (await findCall(order, 'confirm'))
      if (order === undefined || call === undefined) return
      const begun = { kind: 'started', order: order.number, call: call.number } as const
      const outcome = pick(['done', 'refused', 'unknown', 'not-sent'] as const, other) ?? 'unknown'
      await journal.endConfirm(begun, { outcome, status: 500 }, time())
    },
    observe: async (one, other) => {
      const order = await pickOrder(one)
      if (order?.orderId === undefined) return
      await journal.recordOrder(order.number, {
        state: pick(states, other) ?? 'created',
        at: time(),
        total: '25',
      })
    },
    expire: async (one) => {
      const order = await pickOrder(one)
      if (order?.orderId === undefined || order.confirmedAt !== undefined) return
      const unproven = (await journal.listCalls(order.number)).filter(isUnproven)
      await journal.recordExpiry(order, unproven, time())
    },
    unconfirmed: async (one) => {
      const order = await pickOrder(one)
      if (order !== undefined) await journal.recordUnconfirmed(order, time())
    },
    decide: async (one, other) => {
      const order = await pickOrder(one)
      if (order?.orderId === undefined || order.confirmedAt !== undefined) return
      const isSpent = other % 2 === 0
      const more = { by: name, reason: 'seen', at: time() }
      await journal.recordDecision(order, { isSpent, ...more })
    },
    reveal: async (one) => {
      const { profile, origin } = owner
      const more = { orderId: `${name}-${one % 3}`, skus: ['A'], at: time(), who: name }
      await journal.recordReveals([{ profile, origin, ...more, how: 'reveal' }])
    },
    plan: async (one) => {
      const id = `bat_${name}_${one % 3}`
      await save({ name: `gifts-${one % 3}`, id, demand: id, at: time() }, one % 2 === 0)
    },
    start: async (one) => {
      const batch = await pickBatch(one)
      if (batch !== undefined) await batches.startBatch(batch, { maxTotal: String(one), at: time() })
    },
    buy: async (one, other) => {
      const batch = await pickBatch(one)
      if (batch?.startedAt === undefined) return
      const slot = pick(await batches.listOpenSlots(batch.number), other)
      if (slot === undefined) return
      const lines = await batches.readLines(batch.number, slot)
      const claim = { batch: batch.number, slot, lines: formatLines(lines) }
      const request = JSON.stringify({ productList: [] })
      keep(
        await journal.beginCreate(
          intent({ ...until(time()), reference: `${batch.name}-${slot}`, request, claim }),
        ),
      )
    },
    deliver: async (one, other) => {
      const batch = await pickBatch(one)
      if (batch?.startedAt === undefined) return
      const slot = (other % batch.lastSlot) + 1
      await batches.settleSlot(batch.number, slot, (cards) =>
        cards
          .filter(({ state }) => state === 'wanted')
          .map(({ card }) => ({ card, state: 'delivered', hash: `${name}-${card}` })),
      )
    },
    fail: async (one, other) => {
      const batch = await pickBatch(one)
      if (batch?.startedAt === undefined) return
      const where = { batch: batch.number, slot: (other % batch.lastSlot) + 1, at: time() }
      if (one % 2 === 0) await batches.failCards(where, () => true, 'out of stock')
      else await batches.retryFailed(batch.number, (cards) => cards.map((_, index) => index))
    },
    cancel: async (one, other) => {
      const batch = await pickBatch(one)
      if (batch !== undefined && other % 4 === 0) await batches.cancelBatch(batch.number, time())
    },
  }

  return async (steps: readonly Step[]): Promise<void> => {
    for (const [action, one, other] of steps) await work[action](one, other)
  }
}
