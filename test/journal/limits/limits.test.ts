// The limits of accounts in both databases: set, replaced, listed and removed.
import { describe, expect, onTestFinished, test } from 'vitest'
import { getAccountId } from '../../../src/contract/account-id.ts'
import { listLimits, removeLimit, setLimit } from '../../../src/journal/limits/limits.ts'
import { bindTo, journalKinds, testIdentity } from '../journals.ts'
import { owner } from '../order-desk.ts'

const { account } = owner
const setting = {
  setAt: expect.any(Number),
  appliesHere: true,
  setBy: expect.objectContaining({ user: testIdentity.osUser, host: testIdentity.host }),
}
const named = (name: string) => getAccountId(owner.origin, name)

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const { journal, close } = await kind.open()
    onTestFinished(close)
    return bindTo(journal, { listLimits, removeLimit, setLimit })
  }

  test('an account has one of each kind and currency', async () => {
    const { listLimits, setLimit } = await open()
    await setLimit(account, { kind: 'week', currency: 'USD', amount: '900' })
    await setLimit(account, { kind: 'day', currency: 'USD', amount: '500' })
    await setLimit(account, { kind: 'approval', currency: 'USD', amount: '1000' })
    await setLimit(account, { kind: 'order', currency: 'EUR', amount: '99.50' })
    expect(await listLimits(account)).toEqual([
      { kind: 'order', currency: 'EUR', amount: '99.50', ...setting },
      { kind: 'approval', currency: 'USD', amount: '1000', ...setting },
      { kind: 'day', currency: 'USD', amount: '500', ...setting },
      { kind: 'week', currency: 'USD', amount: '900', ...setting },
    ])
  })

  test('a new amount replaces that of the same kind and currency', async () => {
    const { listLimits, setLimit } = await open()
    const before = Date.now()
    await setLimit(account, { kind: 'day', currency: 'USD', amount: '500' })
    await setLimit(account, { kind: 'day', currency: 'USD', amount: '9007199254740993.01' })
    const [limit, ...others] = await listLimits(account)
    expect(others).toEqual([])
    expect(limit).toMatchObject({ amount: '9007199254740993.01' })
    // The clocks of this process and the database may differ by a little.
    expect(Math.abs((limit?.setAt ?? 0) - before)).toBeLessThan(60_000)
  })

  test('records who set it last', async () => {
    const { journal, address, query, close } = await kind.openShared()
    onTestFinished(close)
    const other = await kind.openAt(address, () => ({ osUser: 'other', host: 'desk' }))
    onTestFinished(other.close)
    await setLimit(journal, account, { kind: 'day', currency: 'USD', amount: '500' })
    await setLimit(other, account, { kind: 'day', currency: 'USD', amount: '600' })
    const found = await query('SELECT amount, os_user FROM limits JOIN actors ON actors.number = actor')
    expect(found).toEqual([{ amount: '600', os_user: 'other' }])
  })

  test('removes one kind of one currency', async () => {
    const { listLimits, setLimit, removeLimit } = await open()
    await setLimit(account, { kind: 'day', currency: 'USD', amount: '500' })
    await setLimit(account, { kind: 'day', currency: 'EUR', amount: '400' })
    await setLimit(account, { kind: 'week', currency: 'USD', amount: '900' })
    expect(await removeLimit(account, { kind: 'day', currency: 'USD' })).toBe(true)
    expect(await removeLimit(account, { kind: 'day', currency: 'USD' })).toBe(false)
    const left = await listLimits(account)
    expect(left.map((limit) => `${limit.currency}/${limit.kind}`)).toEqual(['EUR/day', 'USD/week'])
  })

  test('applies to accounts that may be the same, but is removed only from its own account', async () => {
    const { listLimits, setLimit, removeLimit } = await open()
    await setLimit(named('eu'), { kind: 'day', currency: 'USD', amount: '500' })
    await setLimit(account, { kind: 'day', currency: 'USD', amount: '400' })
    const listAmounts = async (of: typeof account) =>
      (await listLimits(of)).map(({ amount, accountName }) => [amount, accountName])
    expect(await listAmounts(named('eu'))).toEqual([
      ['500', 'eu'],
      ['400', undefined],
    ])
    expect(await listAmounts(named('us'))).toEqual([['400', undefined]])
    expect(await listAmounts(account)).toHaveLength(2)
    expect(await removeLimit(account, { kind: 'day', currency: 'USD' })).toBe(true)
    expect(await listAmounts(account)).toEqual([['500', 'eu']])
    expect(await listAmounts(named('us'))).toEqual([])
    expect(await listAmounts(getAccountId('https://elsewhere.example'))).toEqual([])
  })
})
