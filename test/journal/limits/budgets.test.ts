// Budgets in both databases: what counts against them, and what proof releases.

import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { getAccountId } from '../../../src/contract/account-id.ts'
import { formatMillionths } from '../../../src/contract/money/millionths.ts'
import { findPeriod, periods } from '../../../src/contract/timestamp.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import {
  type BudgetUse,
  listLimits,
  type NewLimit,
  readBudgets,
  readUses,
  setLimit,
} from '../../../src/journal/limits/limits.ts'
import {
  type Calls,
  type ConfirmEnd,
  type ConfirmIntent,
  createCalls,
} from '../../../src/journal/orders/calls.ts'
import type { Entry } from '../../../src/journal/orders/entry.ts'
import { recordDecision, recordExpiry } from '../../../src/journal/orders/observations.ts'
import { listCalls } from '../../../src/journal/orders/queries.ts'
import { bindTo, everyJournalKind, type JournalKind, journalKinds } from '../journals.ts'
import { confirmIntent, createOrderDesk, owner } from '../order-desk.ts'
import { openTwoProcesses } from '../two-processes.ts'

const { account } = owner
const named = (name: string) => ({ account: getAccountId(owner.origin, name) })
const dayMs = 24 * 60 * 60 * 1000

/** Amounts of these tests are whole numbers. */
const addUp = ({ spent }: BudgetUse): number => Number(formatMillionths(spent.millionths))

const openOn = async (kind: JournalKind, ...limits: NewLimit[]) => {
  const { journal, query, damage, close } = await kind.openShared()
  onTestFinished(close)
  const table = bindTo(journal, { listLimits, readBudgets, setLimit })
  for (const limit of limits) await table.setLimit(account, limit)
  const desk = createOrderDesk(journal)
  const begin = (orderId: string, fields: Partial<ConfirmIntent> = {}) =>
    journal.calls.beginConfirm(confirmIntent(orderId, { reference: orderId, ...fields }))
  /** Begins to confirm an order of 25 USD. */
  const spend = async (orderId: string, fields: Partial<ConfirmIntent> = {}) => {
    const begun = await begin(orderId, fields)
    if (begun.kind !== 'started') throw new Error(begun.kind)
    return begun
  }
  const countSpent = async (of = account) =>
    (await table.readBudgets(of, await table.listLimits(of))).map(addUp)
  return { ...desk, ...table, query, damage, begin, spend, countSpent, journal }
}
const perDay = (amount: string, currency = 'USD'): NewLimit => ({ kind: 'day', currency, amount })

test.each(everyJournalKind)(
  'on $name, of confirms at once, only those within the budget are started',
  async (kind) => {
    const { begin, countSpent, listOrders } = await openOn(kind, perDay('125'))
    const ids = Array.from({ length: 20 }, (_, index) => `o${index}`)
    const kinds = await Promise.all(ids.map(async (id) => (await begin(id)).kind))
    expect(kinds.filter((each) => each === 'started')).toHaveLength(5)
    expect(kinds.filter((each) => each === 'over-budget')).toHaveLength(15)
    expect(await countSpent()).toEqual([125])
    expect(await listOrders({ limit: 100 })).toHaveLength(5)
  },
)

describe('while another process', () => {
  const open = async () => {
    const { journal, during } = await openTwoProcesses()
    // The first order of a journal also inserts its account, which other transactions would wait for.
    await createOrderDesk(journal).placed('a', { reference: 'a' })
    const begin = (calls: Pick<Calls, 'beginConfirm'>, orderId: string) =>
      calls.beginConfirm(confirmIntent(orderId, { reference: orderId }))
    return {
      during,
      setLimit: bindTo(journal, { setLimit }).setLimit,
      beginOther: ({ write }: Journal) => begin(createCalls(write), 'other'),
      begin: () => begin(journal.calls, 'own'),
      countSpent: async () =>
        (await readBudgets(journal.read, account, await listLimits(journal.read, account))).map(addUp),
    }
  }

  test('begins a confirm, another confirm of the budget waits, and counts it', async () => {
    const { during, setLimit, beginOther, begin } = await open()
    await setLimit(account, perDay('25'))
    const { result, hasWaited } = await during(beginOther, begin)
    expect(hasWaited).toBe(true)
    expect(result).toMatchObject({
      kind: 'over-budget',
      use: { spent: { millionths: 25_000_000n, orders: 1 } },
    })
  })

  test('begins a confirm, a new budget waits, and counts it', async () => {
    const { during, setLimit, beginOther, countSpent } = await open()
    const { hasWaited } = await during(beginOther, () => setLimit(account, perDay('25')))
    expect(hasWaited).toBe(true)
    expect(await countSpent()).toEqual([25])
  })

  test('sets a budget, a confirm waits, and obeys it', async () => {
    const { during, begin } = await open()
    const { result, hasWaited } = await during((journal) => setLimit(journal, account, perDay('24')), begin)
    expect(hasWaited).toBe(true)
    expect(result).toMatchObject({ kind: 'over-budget' })
  })
})

describe.each(journalKinds)('on $name', (kind) => {
  const open = (...limits: NewLimit[]) => openOn(kind, ...limits)

  test('an order that would exceed the budget is refused, and the budget says until when', async () => {
    const { begin, spend, listCalls } = await open(perDay('50'))
    await spend('a')
    await spend('b')
    const refused = await begin('c')
    expect(refused).toMatchObject({
      kind: 'over-budget',
      use: { kind: 'day', currency: 'USD', amount: '50', spent: { millionths: 50_000_000n, orders: 2 } },
    })
    const { use } = refused as { use: BudgetUse }
    expect((use.until ?? 0) % dayMs).toBe(0)
    expect((use.until ?? 0) - Date.now()).toBeLessThanOrEqual(dayMs)
    // Nothing was recorded.
    expect(await listCalls(3)).toEqual([])
  })

  test.each<[string, ConfirmEnd | undefined, boolean]>([
    ['is under way', undefined, false],
    ['is confirmed', { outcome: 'done' }, false],
    ['has an unknown outcome', { outcome: 'unknown' }, false],
    ['was refused', { outcome: 'refused', status: 400 }, false],
    ['was not sent', { outcome: 'not-sent' }, true],
  ])('after a confirm that %s, the budget is as documented', async (_title, end, isReleased) => {
    const { begin, spend, endConfirm, placed, countSpent } = await open(perDay('25'))
    await placed('a', { reference: 'a' })
    const begun = await spend('a')
    if (end !== undefined) await endConfirm(begun, end, 3_000)
    expect(await countSpent()).toEqual([isReleased ? 0 : 25])
    expect((await begin('b')).kind).toBe(isReleased ? 'started' : 'over-budget')
  })

  test('an order that was not sent counts if an earlier confirm of it was only refused', async () => {
    const { spend, endConfirm, placed, countSpent } = await open(perDay('25'))
    await placed('a', { reference: 'a' })
    await endConfirm(await spend('a'), { outcome: 'refused', status: 400 }, 3_000)
    // The order itself does not count twice.
    await endConfirm(await spend('a'), { outcome: 'not-sent' }, 4_000)
    expect(await countSpent()).toEqual([25])
  })

  test.each<[string, number, (journal: Journal, entry: Entry) => Promise<unknown>]>([
    [
      'proof of the expiry',
      0,
      async (journal, entry) =>
        recordExpiry(journal, entry, (await listCalls(journal.read, entry.number)).slice(1), 5_000),
    ],
    ...[true, false].map(
      (isSpent): [string, number, (journal: Journal, entry: Entry) => Promise<unknown>] => [
        `a person who says that it is spent: ${isSpent},`,
        isSpent ? 25 : 0,
        (journal, entry) =>
          recordDecision(journal, entry, {
            ...{ isSpent, by: 'ana', reason: 'asked', at: 5_000, state: isSpent ? 'confirmed' : 'expired' },
          }),
      ],
    ),
  ])('after an unknown outcome, %s leaves %i', async (_title, left, settle) => {
    const { journal, spend, endConfirm, placed, findOrder, countSpent } = await open(perDay('25'))
    await placed('a', { reference: 'a' })
    await endConfirm(await spend('a'), { outcome: 'unknown' }, 3_000)
    await settle(journal, (await findOrder(owner, 'a')) as Entry)
    expect(await countSpent()).toEqual([left])
  })

  test('an order that was confirmed elsewhere counts from when it is seen, also after a failure', async () => {
    const { placed, note, countSpent } = await open(perDay('25'))
    await placed('a', { reference: 'a' })
    expect(await countSpent()).toEqual([0])
    await note('a', 'confirmed', 5_000)
    expect(await countSpent()).toEqual([25])
    await note('a', 'failed', 6_000)
    expect(await countSpent()).toEqual([25])
  })

  test('orders in a different currency neither count nor are limited', async () => {
    const { spend, countSpent } = await open(perDay('25'), perDay('10', 'EUR'))
    await spend('a', { wallet: 'GBP' })
    await spend('b')
    expect(await countSpent()).toEqual([0, 25])
    await spend('c', { wallet: 'GBP' })
  })

  test('a budget of a declared account counts orders that may be its own', async () => {
    const { spend, begin, setLimit, countSpent } = await open()
    const { account: eu } = named('eu')
    await setLimit(eu, perDay('25'))
    await spend('a', named('us'))
    expect(await countSpent(eu)).toEqual([0])
    await spend('b')
    expect(await countSpent(eu)).toEqual([25])
    expect((await begin('c', named('eu'))).kind).toBe('over-budget')
    expect(await begin('d')).toMatchObject({ kind: 'over-budget', use: { accountName: 'eu' } })
    await spend('e', named('us'))
    await spend('f', { account: getAccountId('https://elsewhere.example') })
  })

  test('a budget of an undeclared account counts all orders of its address', async () => {
    const { spend, begin, countSpent } = await open(perDay('50'))
    await spend('a', named('us'))
    await spend('b', named('eu'))
    expect(await countSpent()).toEqual([50])
    expect(await countSpent(named('eu').account)).toEqual([50])
    for (const of of [{}, named('eu'), named('new')]) expect((await begin('c', of)).kind).toBe('over-budget')
  })

  test.each([
    ['day', Date.UTC(2026, 6, 15), Date.UTC(2026, 6, 16)],
    ['week', Date.UTC(2026, 6, 13), Date.UTC(2026, 6, 20)],
    ['month', Date.UTC(2026, 6, 1), Date.UTC(2026, 7, 1)],
  ] as const)(
    'a %s counts its first and its last millisecond, and none outside',
    async (period, from, until) => {
      const { spend, query, journal } = await open()
      const spendAt = async (at: number, total: string) => {
        const { order } = await spend(`o${total}`, { total })
        await query('UPDATE orders SET reserved_at = $at WHERE number = $order', { at, order })
      }
      const limits = periods.map((kind): NewLimit => ({ kind, currency: 'USD', amount: '50' }))
      const countAt = async (now: number) => {
        const uses = await readUses(journal.read, { limits, now }, account)
        return uses.filter(({ kind }) => kind === period).map(addUp)
      }
      await spendAt(from - 1, '1')
      await spendAt(from, '2')
      expect(await countAt(from)).toEqual([2])
      await spendAt(until - 1, '4')
      expect(await countAt(until - 1)).toEqual([6])
      await spendAt(until, '8')
      expect(await countAt(until)).toEqual([8])
    },
  )

  test('a budget counts what a plain addition of all orders counts', async () => {
    const { spend, query, journal } = await open()
    const now = Date.UTC(2026, 8, 1, 12, 30)
    const names = [undefined, 'eu', 'us']
    const wallets = ['USD', 'USD', 'EUR']
    const draw = fc.tuple(
      fc.constantFrom(...names),
      fc.constantFrom(...wallets),
      fc.constantFrom('1', '2', '2', '40'),
      fc.integer({ min: -40 * 24, max: 1 }),
    )
    const orders = fc.sample(draw, 40).map(([name, wallet, total, hours], index) => {
      return { name, wallet, total, at: now + hours * 3_600_000, number: index + 1 }
    })
    for (const { name, wallet, total, at, number } of orders) {
      await spend(`o${number}`, { wallet, total, account: getAccountId(owner.origin, name) })
      await query('UPDATE orders SET reserved_at = $at WHERE number = $number', { at, number })
    }
    const limits = periods.flatMap((kind) =>
      [undefined, 'eu'].map((accountName) => ({ kind, currency: 'USD', amount: '50', accountName })),
    )
    const uses = await readUses(journal.read, { limits, now }, account, 7)
    const counts = limits.map(({ kind, accountName }) =>
      orders
        .filter(({ name }) => name === undefined || accountName === undefined || name === accountName)
        .filter(({ wallet, number }) => wallet === 'USD' && number !== 7)
        .filter(({ at }) => at >= findPeriod(kind, now).from)
        .reduce((sum, { total }) => sum + Number(total), 0),
    )
    expect(uses.map(addUp)).toEqual(counts)
  })

  test('of several exceeded budgets, the message reports the one that lasts longest', async () => {
    const { begin, spend, setLimit } = await open(perDay('30'), {
      kind: 'month',
      currency: 'USD',
      amount: '40',
    })
    await spend('a')
    expect(await begin('b')).toMatchObject({ use: { kind: 'month' } })
    await setLimit(account, { kind: 'order', currency: 'USD', amount: '20' })
    const refused = await begin('b')
    expect(refused).toMatchObject({ use: { kind: 'order', spent: { orders: 0 } } })
    expect(refused).not.toHaveProperty('use.until')
  })

  test('an accepted change counts with its own total and wallet', async () => {
    const { placed, spend, countSpent } = await open(perDay('500'), perDay('500', 'EUR'))
    await placed('a', { reference: 'a' })
    await spend('a', { total: '40', wallet: 'EUR', accepted: '[]' })
    expect(await countSpent()).toEqual([40, 0])
  })

  test('a damaged amount prevents every confirm', async () => {
    const { begin, damage } = await open(perDay('25'))
    await damage('limits', 'amount', 'much')
    await expect(begin('a')).rejects.toMatchObject({ kind: 'local-state' })
  })
})
