// Letter case in the base path and in the name of an account.
import { describe, expect, onTestFinished, test } from 'vitest'
import { getAccountId } from '../../src/contract/account-id.ts'
import { listLimits, readBudgets, removeLimit, setLimit } from '../../src/journal/limits/limits.ts'
import { bindTo, journalKinds } from './journals.ts'
import { createOrderDesk, done, intent } from './order-desk.ts'

const at = (path: string, name?: string) => {
  const origin = `https://orders.example${path}`
  return { origin, account: getAccountId(origin, name) }
}
const { account } = at('/shop', 'eu')

describe.each(journalKinds)('on $name, letter case', (kind) => {
  const open = async () => {
    const { journal, query, close } = await kind.openShared()
    onTestFinished(close)
    const desk = createOrderDesk(journal)
    await desk.placed('o1', at('/Shop', 'EU'))
    return {
      ...desk,
      ...bindTo(journal, { listLimits, readBudgets, removeLimit, setLimit }),
      query,
    }
  }

  test('does not make two accounts of one', async () => {
    const { beginCreate, begin, endCreate, query } = await open()
    for (const same of [at('/shop', 'eu'), at('/SHOP', 'Eu'), at('/shop')])
      expect((await beginCreate(intent(same))).kind).toBe('taken')
    expect((await beginCreate(intent(at('/shop', 'us')))).kind).toBe('started')
    const next = await begin({ ...at('/shop', 'eu'), reference: 'r2' })
    expect(await endCreate(next, done('o1'), 1_100)).toMatchObject([{ orderId: 'o1', reference: 'r' }])
    expect(await query('SELECT address, name FROM accounts WHERE name IS NOT NULL ORDER BY number')).toEqual([
      { address: 'orders.example/shop', name: 'eu' },
      { address: 'orders.example/shop', name: 'us' },
    ])
  })

  test('does not hide a limit', async () => {
    const { listLimits, setLimit, removeLimit, readBudgets, toConfirm } = await open()
    await setLimit(account, { kind: 'day', currency: 'USD', amount: '30' })
    await toConfirm('o1', { ...at('/SHOP', 'EU'), at: Date.now() })
    const limits = await listLimits(account)
    expect(limits).toMatchObject([{ accountName: 'eu' }])
    expect(await readBudgets(account, limits)).toMatchObject([{ spent: { millionths: 25_000_000n } }])
    expect(await removeLimit(account, { kind: 'day', currency: 'USD' })).toBe(true)
  })
})
