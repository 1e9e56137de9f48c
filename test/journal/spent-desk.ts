// A journal with budgets, and what counts against them by a plain addition of all orders.
import { getAccountId } from '../../src/contract/account-id.ts'
import { findPeriod, type Period, periods } from '../../src/contract/period.ts'
import type { Committed } from '../../src/journal/batches/slot-guard.ts'
import type { ConfirmStart } from '../../src/journal/calls.ts'
import { isUnproven } from '../../src/journal/entry.ts'
import type { Journal } from '../../src/journal/journal.ts'
import type { LockedLimits } from '../../src/journal/limits/budgets.ts'
import { addCommitted } from '../../src/operations/committed.ts'
import type { SharedJournal } from './journals.ts'
import { confirmIntent, owner } from './order-desk.ts'

export const hourMs = 60 * 60 * 1000

export const accounts = [
  owner.account,
  getAccountId(owner.origin, 'eu'),
  getAccountId(owner.origin, 'us'),
  getAccountId('https://elsewhere.example'),
]

type Limit = LockedLimits['limits'][number]

export const limits: readonly Limit[] = periods.flatMap((kind) =>
  [{}, { accountName: 'eu' }].map((name) => ({ kind, currency: 'USD', amount: '1000', ...name })),
)

export type SpentDesk = ReturnType<typeof createSpentDesk>

export const createSpentDesk = (journal: Journal, { query }: Pick<SharedJournal, 'query'>) => {
  const { keep, look } = journal.openTables(({ tables, runTransaction }) => {
    const at = (now: number, except?: number) => ({
      locked: { limits, now },
      spender: { account: owner.account, except },
    })
    return {
      look: (now: number, except?: number) => {
        const { locked, spender } = at(now, except)
        return tables.budgets.readUses(locked, spender)
      },
      keep: (now: number, except?: number, meanwhile = async () => {}) =>
        runTransaction(async ({ budgets }) => {
          const { locked, spender } = at(now, except)
          const uses = await budgets.readUses(locked, { ...spender, isConfirming: true })
          await meanwhile()
          return uses
        }),
    }
  })

  const addUp = async (now: number, except = -1): Promise<string[]> => {
    const rows = await query(
      `SELECT name, reserved_at, total FROM orders JOIN accounts ON accounts.number = account
       WHERE address = $address AND wallet = 'USD' AND reserved_at IS NOT NULL AND orders.number <> $except`,
      { address: owner.account.address, except },
    )
    return limits.map(({ kind, accountName }) =>
      format(
        rows
          .filter(({ name }) => accountName === undefined || name === null || name === accountName)
          .filter(({ reserved_at }) => Number(reserved_at) >= findPeriod(kind as Period, now).from)
          .map(({ total }) => ({ total: String(total ?? ''), count: 1 })),
      ),
    )
  }

  return {
    /** What a plain addition finds, what a confirm reads and keeps, and what somebody else then reads. */
    readAll: async (now: number, except?: number) => ({
      added: await addUp(now, except),
      kept: (await keep(now, except)).map(({ spent }) => format(spent)),
      seen: (await look(now, except)).map(({ spent }) => format(spent)),
    }),
    keep,
    addUp,
    format,
    listKept: async () =>
      (await query('SELECT hour, total FROM spent_hours ORDER BY account, hour')).map(({ hour, total }) => [
        Number(hour),
        total,
      ]),
  }
}

const format = (spent: readonly Committed[]): string => addCommitted(spent).toFixed()

type Draw = readonly [one: number, other: number]

const pick = <Value>(values: readonly Value[], index: number): Value => values[index % values.length] as Value

const totals = ['25', '12.50', '0.1', '9007199254740993.01', '40', '25', '1e2']

/** Random histories of orders that are reserved, released and changed, at random times. */
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
      const [index] = [accounts.findIndex(({ name }) => name === undefined)]
      await confirm(known.orderId, [index, draw[1]], at)
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
      const state = isSpent ? 'confirmed' : 'created'
      await journal.recordDecision(known, { isSpent, by: 'ana', reason: 'seen', at, state })
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
      if (other % 4 === 0) await journal.deleteOrders(pick(accounts, one))
    },
  }
}
