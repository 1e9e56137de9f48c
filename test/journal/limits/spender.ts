// Orders that are reserved, released and changed at chosen times, for random histories.
import type { ConfirmStart } from '../../../src/journal/calls.ts'
import { isUnproven } from '../../../src/journal/entry.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { isUnprovenOrder } from '../../../src/journal/standings.ts'
import type { SharedJournal } from '../journals.ts'
import { confirmIntent } from '../order-desk.ts'
import { accounts } from './spent-desk.ts'

type Draw = readonly [one: number, other: number]

const pick = <Value>(values: readonly Value[], index: number): Value => values[index % values.length] as Value

const totals = ['25', '12.50', '0.1', '9007199254740993.01', '40', '25', '1.005']

/** The numbers of a draw choose among the possibilities. `name` occurs in the ids of its orders. */
export const createSpender = (
  journal: Journal,
  { query, name }: Pick<SharedJournal, 'query'> & { readonly name: string },
) => {
  let count = 0
  const calls = new Map<number, ConfirmStart>()
  const orders = async () => (await journal.listOrders({ limit: 1_000 })).toReversed()
  const order = async (one: number) => pick(await orders(), one)

  const move = async (begun: ConfirmStart, at: number) => {
    if (begun.kind !== 'started') return
    calls.set(begun.order, begun)
    const { order } = begun
    await query('UPDATE orders SET reserved_at = $at WHERE number = $order RETURNING number', { order, at })
  }

  const confirm = async (orderId: string, [one, other]: Draw, at: number) => {
    const account = pick(accounts, one)
    const wallet = other % 7 === 0 ? 'EUR' : 'USD'
    const change = other % 3 === 0 ? { accepted: '[]' } : {}
    const intent = { orderId, reference: orderId, account, wallet, total: pick(totals, other), ...change }
    await move(await journal.beginConfirm(confirmIntent(orderId, { ...intent, allowDuplicate: true })), at)
  }

  return {
    reserve: (draw: Draw, at: number) => confirm(`${name}-${count++}`, draw, at),
    again: async (draw: Draw, at: number) => {
      const known = await order(draw[0])
      if (known?.orderId === undefined) return
      await confirm(known.orderId, draw, at)
    },
    end: async ([one, other]: Draw) => {
      const begun = pick([...calls.values()], one)
      if (begun?.kind !== 'started') return
      const outcome = pick(['done', 'refused', 'unknown', 'not-sent', 'not-sent'] as const, other)
      await journal.endConfirm(begun, { outcome, status: 400 }, 3_000)
      calls.delete(begun.order)
    },
    see: async ([one, other]: Draw, at: number) => {
      const known = await order(one)
      if (known === undefined) return
      const state = pick(['confirmed', 'failed', 'successful'], other)
      await journal.recordOrder(known.number, { state, at, total: pick(totals, other) })
    },
    expire: async ([one]: Draw, at: number) => {
      const known = await order(one)
      if (known === undefined || known.confirmedAt !== undefined) return
      const unproven = (await journal.listCalls(known.number)).filter(isUnproven)
      await journal.recordExpiry(known, unproven, at)
    },
    decide: async ([one, other]: Draw, at: number) => {
      const known = await order(one)
      if (known === undefined || known.confirmedAt !== undefined) return
      const isSpent = other % 2 === 0
      await journal.recordDecision(known, { isSpent, by: 'ana', reason: 'seen', at })
    },
    /** A journal with an unproven confirm is not copied. */
    settleAll: async (at: number) => {
      for (const known of (await orders()).filter(isUnprovenOrder)) {
        const isSpent = known.number % 2 === 0
        await journal.recordDecision(known, { isSpent, by: 'ana', reason: 'seen', at })
      }
    },
    /** A total that is not known is possible, too. */
    change: async ([one, other]: Draw) => {
      const known = await order(one)
      if (known === undefined) return
      const total = pick([...totals, null] as const, other)
      const wallet = pick(['USD', 'USD', 'EUR', null], one)
      await query(
        'UPDATE orders SET total = $total, wallet = $wallet WHERE number = $order RETURNING number',
        {
          ...{ total, wallet, order: known.number },
        },
      )
    },
    remove: async ([one, other]: Draw) => {
      if (other % 4 !== 0) return
      await journal.deleteOrders(pick(accounts, one))
      // The call of a deleted order cannot end.
      const left = new Set((await orders()).map(({ number }) => number))
      for (const number of calls.keys()) if (!left.has(number)) calls.delete(number)
    },
  }
}
