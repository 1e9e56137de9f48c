// A journal with budgets, and what counts against them by a plain addition of all orders.
import { getAccountId } from '../../../src/contract/account-id.ts'
import { findPeriod, type Period, periods } from '../../../src/contract/calendar/period.ts'
import type { Committed } from '../../../src/journal/batches/slot-guard.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import type { LockedLimits } from '../../../src/journal/limits/budgets.ts'
import { addCommitted } from '../../../src/operations/committed.ts'
import type { SharedJournal } from '../journals.ts'
import { owner } from '../order-desk.ts'

export const hourMs = 60 * 60 * 1000

export const accounts = [
  owner.account,
  getAccountId(owner.origin, 'eu'),
  getAccountId(owner.origin, 'us'),
  getAccountId('https://elsewhere.example'),
]

type Limit = LockedLimits['limits'][number]

const limits: readonly Limit[] = periods.flatMap((kind) =>
  [{}, { accountName: 'eu' }].map((name) => ({ kind, currency: 'USD', amount: '1000', ...name })),
)

export const createSpentDesk = (journal: Journal, { query }: Pick<SharedJournal, 'query'>) => {
  const at = (now: number, except?: number) => ({
    locked: { limits, now },
    spender: { account: owner.account, except },
  })
  const look = (now: number, except?: number) =>
    journal.read(({ budgets }) => {
      const { locked, spender } = at(now, except)
      return budgets.readUses(locked, spender)
    })
  const keep = (now: number, except?: number, meanwhile = async () => {}) =>
    journal.write(async ({ budgets }) => {
      const { locked, spender } = at(now, except)
      const uses = await budgets.readUses(locked, { ...spender, isConfirming: true })
      await meanwhile()
      return uses
    })

  const addUp = async (now: number, except = -1): Promise<string[]> => {
    const rows = await query(
      `SELECT name, reserved_at, coalesce(counted, total) AS total FROM orders JOIN accounts ON accounts.number = account
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
