// A random history of one batch: its operations on the journal, beside a service that knows what was really bought.
import { formatLines, type SlotLine } from '../../../src/journal/batches/batch.ts'
import type { StartedCall } from '../../../src/journal/calls.ts'
import { isUnproven } from '../../../src/journal/entry.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { createBatchDesk, createRow } from './batch-desk.ts'

/** How often each action is taken. */
export const actionWeights = {
  ...{ create: 6, answerCreate: 6, confirm: 6, answerConfirm: 4, observe: 3, proveExpired: 3, decide: 1 },
  ...{ settle: 3, fail: 2, repack: 3, retry: 2, cancel: 1, wait: 3 },
}
export type Action = keyof typeof actionWeights

/** An action, and two numbers that choose among its possibilities. */
export type Step = readonly [action: Action, one: number, other: number]

const finalStates = ['successful', 'partial', 'failed'] as const

/** An order as the service knows it. */
type Real = {
  readonly number: number
  readonly id: string
  readonly slot: number
  readonly lines: readonly SlotLine[]
  readonly claim: { readonly batch: number; readonly slot: number; readonly lines: string }
  create: StartedCall | undefined
  confirm: StartedCall | undefined
  isSpent: boolean
  isExpired: boolean
  final?: (typeof finalStates)[number]
  isSettled: boolean
}

const demand = new Map([
  ['GAME-US', 2],
  ['COFFEE', 1],
])

const pick = <Value>(values: readonly Value[], index: number): Value | undefined =>
  values[index % Math.max(1, values.length)]

/** How many cards of an order were bought and are not known to be undelivered. */
const countBought = ({ isSpent, final }: Real, quantity: number): number => {
  if (!isSpent || final === 'failed') return 0
  return final === 'partial' ? 1 : quantity
}

/** The items for which the predicate resolves to true. */
const filterAsync = async <Item>(
  items: readonly Item[],
  isWanted: (item: Item) => Promise<boolean>,
): Promise<Item[]> => {
  const answers: boolean[] = []
  for (const item of items) answers.push(await isWanted(item))
  return items.filter((_, index) => answers[index])
}

/** `journal` is empty. */
export const openHistory = async (journal: Journal) => {
  const desk = createBatchDesk(journal)
  const { batches } = desk
  const rows = [...demand].map(([sku, quantity]) => createRow(sku, quantity))
  await desk.save({ rows, lastSlot: 1, slotOf: () => 1 })
  const orders: Real[] = []
  const seen = new Set<string>()
  let now = 1_000
  const claims = new Map<string, readonly SlotLine[]>()

  const entryOf = async ({ number }: Real) => {
    const entry = await journal.getOrder(number)
    if (entry === undefined) throw new Error('the order is gone')
    return entry
  }
  const unprovenOf = async ({ number }: Real) => (await journal.listCalls(number)).filter(isUnproven)
  const listPlaced = () => filterAsync(orders, async (order) => (await entryOf(order)).orderId !== undefined)

  const chooseSlot = async (one: number): Promise<number> => pick(await batches.listOpenSlots(1), one) ?? 1

  const run: Record<Action, (one: number, other: number) => Promise<unknown>> = {
    create: async (one, other) => {
      const slot = await chooseSlot(one)
      const present = await batches.readLines(1, slot)
      claims.set(formatLines(present), present)
      // Another process may have read the slot earlier.
      const lines = other % 4 === 0 ? (pick([...claims.values()], other) ?? present) : present
      if (lines.length === 0) return
      const claim = { batch: 1, slot, lines: formatLines(lines) }
      const products = lines.map(
        ({ sku, quantity }) => `{"sku":"${sku}","productType":"fixed","quote":25,"quantity":${quantity}}`,
      )
      const request = `{"productList":[${products}]}`
      // A process that is suspended after this may answer when its deadline is long over.
      const at = now - 60_000 * (one % 2)
      const create = await desk.beginCreate(slot, { claim, request, at, until: at + 45_000 })
      seen.add(`create ${create.kind}`)
      if (create.kind !== 'started') return
      const id = `order-${create.order}`
      orders.push({
        ...{ number: create.order, id, slot, lines, claim, create, confirm: undefined },
        ...{ isSpent: false, isExpired: false, isSettled: false },
      })
    },

    answerCreate: async (one, other) => {
      const order = pick(
        orders.filter(({ create }) => create !== undefined),
        one,
      )
      if (order?.create === undefined) return
      const failed = pick(['refused', 'not-sent', 'unknown'] as const, other) ?? 'unknown'
      const end = other % 7 < 5 ? desk.createAnswer(order.id) : { outcome: failed }
      await journal.endCreate(order.create, end, now)
      order.create = undefined
    },

    confirm: async (one, other) => {
      const order = pick(await listPlaced(), one)
      if (order === undefined) return
      // By the batch that created it, by a batch that reads its slot now, or by hand.
      const claim = [order.claim, await desk.createClaim(order.slot), undefined][other % 3]
      const begun = await desk.beginConfirm(order.id, { claim, at: now, until: now + 45_000 })
      seen.add(`confirm ${begun.kind}`)
      if (begun.kind !== 'started') return
      order.confirm = begun
      if (other % 4 > 0 && !order.isExpired) order.isSpent = true
    },

    answerConfirm: async (one, other) => {
      const order = pick(
        orders.filter(({ confirm }) => confirm !== undefined),
        one,
      )
      if (order?.confirm === undefined) return
      const outcomes = [order.isSpent ? 'done' : 'not-sent', 'refused', 'unknown'] as const
      await journal.endConfirm(order.confirm, { outcome: pick(outcomes, other) ?? 'unknown' }, now)
      order.confirm = undefined
    },

    observe: async (one, other) => {
      const order = pick(await listPlaced(), one)
      if (order === undefined) return
      if (order.isSpent && other % 3 === 0) order.final ??= pick(finalStates, other) ?? 'failed'
      const state = order.isSpent ? (order.final ?? 'processing') : 'created'
      await journal.recordOrder(order.number, { state, at: now })
    },

    proveExpired: async (one) => {
      const order = pick(
        (await listPlaced()).filter(({ isSpent }) => !isSpent),
        one,
      )
      if (order === undefined) return
      order.isExpired = true
      await journal.recordExpiry(await entryOf(order), await unprovenOf(order), now)
    },

    decide: async (one) => {
      const order = pick(
        await filterAsync(
          orders,
          async (each) => (await unprovenOf(each)).length > 0 && each.confirm === undefined,
        ),
        one,
      )
      if (order === undefined) return
      const { isSpent } = order
      const state = isSpent ? 'confirmed' : 'created'
      await journal.recordDecision(await entryOf(order), {
        isSpent,
        by: 'sam',
        reason: 'asked',
        at: now,
        state,
      })
    },

    settle: async (one) => {
      const order = pick(
        await filterAsync(
          orders,
          async (each) => each.final !== undefined && (await entryOf(each)).state === each.final,
        ),
        one,
      )
      if (order === undefined || order.isSettled) return
      order.isSettled = true
      await batches.settleSlot(1, order.slot, (cards) => {
        const delivered = new Set<string>()
        return cards
          .filter(({ state }) => state === 'wanted')
          .map(({ card, sku }) => {
            const isDelivered =
              order.final === 'successful' || (order.final === 'partial' && !delivered.has(sku))
            delivered.add(sku)
            return isDelivered
              ? { card, state: 'delivered' as const, hash: `${card}` }
              : { card, state: 'failed' as const, error: 'not delivered' }
          })
      })
    },

    fail: async (one, other) => {
      const sku = [...demand.keys()][other % 2]
      await batches.failCards(
        { batch: 1, slot: await chooseSlot(one), at: now },
        (card) => card.sku === sku,
        'not found',
      )
    },

    repack: async (one, other) => {
      const slots = (await batches.listOpenSlots(1)).filter((slot) => (one >> (slot % 8)) % 2 === 0)
      await batches.repackSlots(1, slots, now, (cards) => cards.map((_, index) => index % ((other % 2) + 1)))
    },

    retry: (one) => batches.retryFailed(1, (cards) => cards.map((_, index) => index % ((one % 2) + 1))),

    cancel: async (one) => {
      // Rarely, because nothing can be bought from then on.
      if (one % 5 > 0) return
      await batches.cancelBatch(1, now)
      await batches.cancelWanted(1)
    },

    wait: async (one) => {
      now += (one % 90) * 1_000
    },
  }

  return {
    seen,
    step: ([action, one, other]: Step): Promise<unknown> => run[action](one, other),

    /** Describes what must not be. */
    findDefects: async (): Promise<string[]> => {
      const spending = await filterAsync(
        orders,
        async (each) =>
          (await entryOf(each)).confirmedAt !== undefined || (await unprovenOf(each)).length > 0,
      )
      const slots = spending.map(({ slot }) => slot)
      const twice = slots.filter((slot, index) => slots.indexOf(slot) !== index)
      const committed = (await batches.listCommitted(1)).reduce((sum, { count }) => sum + count, 0)
      return [
        ...twice.map((slot) => `slot ${slot} is bought twice`),
        ...[...demand].flatMap(([sku, wanted]) => {
          const bought = orders.map((order) => {
            const line = order.lines.find((each) => each.sku === sku)
            return line === undefined ? 0 : countBought(order, line.quantity)
          })
          const all = bought.reduce((sum, count) => sum + count, 0)
          return all > wanted ? [`${all} of ${wanted} ${sku} are bought`] : []
        }),
        ...(committed === spending.length ? [] : [`${committed} of ${spending.length} orders are committed`]),
      ]
    },
  }
}
