// The limits of accounts in both databases: set, replaced, listed and removed.
import { expect, test } from 'vitest'
import { listLimits, setLimit } from '../../../src/journal/limits.ts'
import { journalKinds } from '../journals.ts'
import { openFor } from '../open.ts'
import { owner } from '../order-desk.ts'
import { testScripts } from '../script.ts'

const { account } = owner

testScripts(
  journalKinds,
  `
  == an account has one limit of each kind and currency, with its latest amount
  limit week 900; limit day 500; limit approval 1000; limit order 99.50 EUR; limit day 9007199254740993.01
  limits → order 99.50 EUR, approval 1000 USD, day 9007199254740993.01 USD, week 900 USD

  == one kind of one currency is removed
  limit day 500; limit day 400 EUR; limit week 900; unlimit day; unlimit day → has none
  limits → day 400 EUR, week 900 USD

  == a limit applies to accounts that may be the same, but is removed only from its own account
  limit day 500 name=eu; limit day 400; limits name=eu → day 500 USD eu, day 400 USD; limits name=us → day 400 USD
  unlimit day; limits → day 500 USD eu; limits name=us; limits origin=https://elsewhere.example
  `,
)

test.each(journalKinds)('on $name, a limit has the person who set it last, and when', async (kind) => {
  const { journal, openOther } = await openFor(kind)
  const other = await openOther(() => ({ osUser: 'other', host: 'desk' }))
  const day = { kind: 'day', currency: 'USD' } as const
  const before = Date.now()
  await setLimit(journal, account, { ...day, amount: '500' })
  await setLimit(other, account, { ...day, amount: '600' })
  const [limit, ...more] = await listLimits(journal.read, account)
  const setBy = expect.objectContaining({ user: 'other', host: 'desk' })
  expect([limit, more]).toEqual([
    {
      ...day,
      amount: '600',
      appliesHere: true,
      readAt: expect.any(Number),
      setAt: expect.any(Number),
      setBy,
    },
    [],
  ])
  // The clocks of this process and the database may differ by a little.
  expect(Math.abs((limit?.setAt ?? 0) - before)).toBeLessThan(60_000)
})
